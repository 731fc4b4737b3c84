/** The exact distribution of a weighted count of coins, coin after coin (stela_core/statistics/p_value.py). */
import { binomialPmf } from "./binomial";
import { sumOf } from "./sums";

/** Distinct whole weights, ascending, at least 1, and how many coins have each. */
export interface Coins {
  readonly values: readonly number[];
  readonly counts: readonly number[];
}

/** P(S > s), or P(S >= s), and P(S = s) where it was asked for. */
export interface Tail {
  readonly above: number;
  readonly tied: number;
}

/** Below this a p-value is given as it. */
export const SMALLEST = 1e-300;

const RESCALE = 1e-9;

/** The number of the most common value; of equally common ones the first. */
export function commonest({ counts }: Coins): number {
  return counts.indexOf(Math.max(...counts));
}

/** P(S > observed) and P(S = observed) by a list of all sums of the rarer values: where these are few. */
export function listedTie(coins: Coins, observed: number, gamma: number): Tail {
  const common = commonest(coins);
  const step = coins.values[common]!;
  let sums = new Float64Array(1);
  let chances = new Float64Array([1]);
  coins.values.forEach((value, d) => {
    if (d === common) return;
    const pmf = binomialPmf(coins.counts[d]!, gamma);
    const size = pmf.length;
    const [wider, likelier] = [new Float64Array(sums.length * size), new Float64Array(sums.length * size)];
    for (let n = 0; n < sums.length; n++) {
      for (let k = 0; k < size; k++) {
        wider[n * size + k] = sums[n]! + value * k;
        likelier[n * size + k] = chances[n]! * pmf[k]!;
      }
    }
    sums = wider;
    chances = likelier;
  });
  const pmf = binomialPmf(coins.counts[common]!, gamma);
  const upper = new Float64Array(pmf.length + 1);
  for (let k = pmf.length - 1; k >= 0; k--) upper[k] = upper[k + 1]! + pmf[k]!;
  let [above, tied] = [0, 0];
  for (let n = 0; n < sums.length; n++) {
    const missing = observed - sums[n]!;
    const needed = Math.floor(missing / step);
    above += chances[n]! * upper[Math.min(Math.max(needed + 1, 0), pmf.length)]!;
    if (missing % step === 0 && needed >= 0 && needed < pmf.length) tied += chances[n]! * pmf[needed]!;
  }
  return { above, tied };
}

/**
 * P(S >= limit), and P(S = floor) where floor is below limit, else 0: sums that cannot reach floor are dropped.
 * All terms are positive, so the relative error stays near 1e-13; probabilities below 1e-300 are dropped.
 */
export function convolved(coins: Coins, limit: number, floor: number, gamma: number): Tail {
  const common = commonest(coins);
  const step = coins.values[common]!;
  const count = coins.counts[common]!;
  const pmf = binomialPmf(count, gamma);
  const first = Math.ceil(limit / step);
  let reached = sumOf(pmf.slice(Math.min(first, pmf.length)));
  const band = new Float64Array(limit);
  for (let k = 0; k < Math.min(first, pmf.length); k++) band[step * k] = pmf[k]!;
  let top = Math.min(limit, step * count + 1);
  let scale = 1;
  const odds = gamma / (1 - gamma);
  const others = coins.values.flatMap((value, d) =>
    d === common ? [] : new Array<number>(coins.counts[d]!).fill(value),
  );
  let remaining = others.reduce((a, b) => a + b, 0);
  for (const value of others) {
    const low = Math.max(0, floor - remaining);
    if (low >= top) return { above: reached, tied: 0 };
    remaining -= value;
    const over = limit - value;
    if (over < top) reached += gamma * scale * sumOf(band.subarray(Math.max(low, over, 0), top));
    // Downwards, so that each sum is taken before it is added to.
    for (let s = Math.min(top, over) - 1; s >= low; s--) band[s + value]! += odds * band[s]!;
    top = Math.min(limit, top + value);
    scale *= 1 - gamma;
    if (scale < RESCALE) {
      for (let s = 0; s < top; s++) {
        const chance = band[s]! * scale;
        band[s] = chance < SMALLEST ? 0 : chance;
      }
      scale = 1;
    }
  }
  return { above: reached, tied: floor < top && floor < limit ? scale * band[floor]! : 0 };
}
