/** Probabilities of the binomial distribution, accurate far in the tails (stela_core/statistics/binomial.py). */
import { sumOf } from "./sums";

/** P(k of `count` coins are green) for k = 0 .. count. */
export function binomialPmf(count: number, gamma: number): Float64Array {
  const odds = gamma / (1 - gamma);
  const ratio = (k: number): number => Math.log((count - k) / (k + 1)) + Math.log(odds);
  const mode = Math.min(count, Math.trunc((count + 1) * gamma));
  const logs = new Float64Array(count + 1);
  for (let k = mode; k < count; k++) logs[k + 1] = logs[k]! + ratio(k);
  for (let k = mode - 1; k >= 0; k--) logs[k] = logs[k + 1]! - ratio(k);
  const pmf = logs.map((log) => (log < -690 ? 0 : Math.exp(log)));
  const total = sumOf(pmf);
  return pmf.map((p) => p / total);
}
