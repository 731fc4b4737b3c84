/** Weights to few distinct values, chosen from the weights alone (stela_core/statistics/few_values.py). */
import { dot } from "./sums";

const KEPT = 64;
const EQUAL = 1e-9;
const STEPS = 24;

/** Ascending values and the place in them of each weight's value, for positive weights. */
export function toFewValues(weights: Float64Array): { values: number[]; places: number[] } {
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  const shares = weights.map((weight) => weight / largest);
  const ordered = Float64Array.from(shares).sort();
  const kept: number[] = [];
  ordered.forEach((share, n) => {
    if (n === 0 || share > ordered[n - 1]! * (1 + EQUAL)) kept.push(share);
  });
  if (kept.length <= KEPT) return { values: kept, places: Array.from(shares, (share) => lastAtMost(kept, share)) };
  const spread = Math.sqrt(dot(shares, shares) / shares.length);
  const places = Array.from(shares, (share) => Math.trunc(Math.asinh(share / spread) * STEPS + (0.5 + 1e-7)));
  const most = places.reduce((a, b) => Math.max(a, b), 0);
  return { values: Array.from({ length: most + 1 }, (_, k) => spread * Math.sinh(k / STEPS)), places };
}

function lastAtMost(ordered: readonly number[], value: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
