/** The exact tail of a weighted sum of exponentials: the p-value of a mark that chooses tokens. */
import { SMALLEST } from "./convolution";
import { toFewValues } from "./few-values";
import { logGammaTail } from "./gamma-tail";
import { logIntegral } from "./hyperbola";
import { dot } from "./sums";

/** P(weighted sum of signals at least as large as this one), signals independent and Exp(1) or less. */
export function exponentialTail(signals: Float64Array, weights: Float64Array): number {
  const kept = [...weights.keys()].filter((n) => weights[n]! > 0);
  if (!kept.length) return 1;
  const { values, places } = toFewValues(Float64Array.from(kept, (n) => weights[n]!));
  const counts = new Float64Array(values.length);
  const sums = new Float64Array(values.length);
  kept.forEach((n, i) => {
    counts[places[i]!]!++;
    sums[places[i]!]! += signals[n]!;
  });
  const used = values.map((_, d) => d).filter((d) => counts[d]! > 0 && values[d]! > 0);
  const means = used.map((d) => values[d]!);
  const observed = dot(means, used.map((d) => sums[d]!));
  const log = Math.min(0, logHypoexponentialTail(means, used.map((d) => counts[d]!), observed));
  return Math.max(SMALLEST, Math.exp(Math.max(-700, log)));
}

/** log P(T >= observed), T the sum of n_d exponentials of mean a_d each (stela_core/statistics/exponential.py). */
export function logHypoexponentialTail(values: readonly number[], counts: readonly number[], observed: number): number {
  if (observed <= 0) return 0;
  if (observed === Infinity) return -Infinity;
  const largest = Math.max(...values);
  if (values.length === 1) return logGammaTail(counts[0]!, observed / largest);
  const means = values.map((value) => value / largest);
  const sum = observed / largest;
  if (sum < 1e-17) return 0;
  const above = sum >= dot(means, counts);
  const log = logIntegral(means, counts, sum, saddlepoint(means, counts, sum, above));
  return above ? Math.min(0, log) : Math.log1p(-Math.min(Math.exp(log), 1 - 1e-16));
}

/** Where log M(z) - s z - log |z| is smallest on (0, 1) or below 0, to a few digits; largest mean 1. */
function saddlepoint(means: readonly number[], many: readonly number[], sum: number, above: boolean): number {
  const mean = dot(means, many);
  const q = means.reduce((total, a, d) => total + a * a * many[d]!, 0) / mean;
  const half = (mean - sum + q) / (2 * q * sum);
  const root = Math.sqrt(half * half + 1 / (q * sum));
  let [low, high] = above ? [0, 1] : [-Infinity, 0];
  const far = -half - (half < 0 || Object.is(half, -0) ? -root : root);
  let z = far > 0 === above ? far : -1 / (q * sum * far);
  for (let n = 0; n < 60; n++) {
    if (!(low < z && z < high)) z = Number.isFinite(low) ? (low + high) / 2 : 2 * high - 1;
    let [slope, curve] = [-sum - 1 / z, 1 / (z * z)];
    means.forEach((a, d) => {
      const r = a / (1 - z * a);
      slope += many[d]! * r;
      curve += many[d]! * r * r;
    });
    if (slope * slope <= 1e-3 * curve) break;
    if (slope < 0) low = z;
    else high = z;
    z -= slope / curve;
  }
  return z;
}
