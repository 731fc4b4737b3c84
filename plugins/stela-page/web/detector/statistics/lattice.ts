/** Weights to whole multiples of a unit, chosen from the weights alone (stela_core/statistics/lattice.py). */
import { sumOf } from "./sums";

const EXACT_RATIO = 1e-9;
const EXACT_TOTAL = 1 << 17;
const FINE = 1 << 15;
const FINEST = 4096;
const COARSEST = 16;

/** Whole numbers proportional to positive weights, exactly or nearly; at least one weight. `units`: of their sum, where the bounds allow it. */
export function toLattice(weights: Float64Array, units: number = FINE): Int32Array {
  const ordered = Float64Array.from(weights).sort();
  const smallest = ordered[0]!;
  const largest = ordered[ordered.length - 1]!;
  if (largest / 2 <= EXACT_TOTAL * smallest) {
    const whole = multiples(weights, smallest);
    if (whole) return whole;
  }
  const shares = ordered.map((weight) => weight / largest);
  const spread = Math.sqrt(sumOf(shares.map((share) => share * share)) / shares.length);
  const unit = Math.min(Math.max(sumOf(shares) / units, 1 / FINEST), spread / COARSEST);
  // The nudge keeps ties from depending on the last bit of the scale.
  return Int32Array.from(weights, (weight) => Math.floor(weight / largest / unit + (0.5 + 1e-7)));
}

function multiples(weights: Float64Array, smallest: number): Int32Array | undefined {
  let apart = 0;
  let most = 0;
  let total = 0;
  const whole = weights.map((weight) => {
    const exact = weight / smallest;
    const near = halfToEven(exact);
    apart = Math.max(apart, Math.abs(exact - near));
    most = Math.max(most, exact);
    total += near;
    return near;
  });
  return apart <= EXACT_RATIO * most && total <= EXACT_TOTAL ? Int32Array.from(whole) : undefined;
}

/** As `numpy.rint`. */
function halfToEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
}
