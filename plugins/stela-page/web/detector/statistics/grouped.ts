/** The scorer "grouped": one coin for each distinct (hash context, token) pair, and an exact tail. */
import { isGreenList, type Law, meanOf, signalsOf, varianceOf } from "../law";
import { bitsTail, leastBitsTail } from "./bits-tail";
import { coinsTail, leastCoinsTail } from "./coins-tail";
import { exponentialTail } from "./exponential-tail";

/** What the tokens of a repeated pair count together, as a power of their number. */
export type Repeats = "sum" | "root" | "fourth-root" | "mean";

/** How a grouped score counts what is repeated, and what is tied. */
export interface Scoring {
  readonly repeats: Repeats;
  readonly ties: "split" | "whole";
}

/** The evidence of n scored tokens. */
export interface Signals {
  /** n times the parts of the law; tokens of one group have the same. */
  readonly draws: Float64Array;
  readonly weights: Float64Array;
  /** Numbers of the (coin, token) pairs, in the order of their first tokens. */
  readonly groups: Int32Array;
  readonly law: Law;
}

/** Outcome of a test. */
export interface Score {
  readonly z: number;
  readonly zPlain: number;
  readonly p: number;
}

/** What each token of a pair of n counts, as a factor on its weight. */
export function shareOf(n: number, rule: Repeats): number {
  if (rule === "sum") return 1;
  const power = rule === "root" ? Math.sqrt(n) : rule === "fourth-root" ? Math.sqrt(Math.sqrt(n)) : 1;
  return power / n;
}

/** Score the tokens of a text, or of a part of one. */
export function scoreOf(signals: Signals, scoring: Scoring): Score {
  const { law } = signals;
  const { draws, stakes } = grouped(signals, scoring.repeats);
  return {
    z: zOf(signalsOf(draws, law), stakes, law),
    zPlain: zOf(signalsOf(signals.draws, law), signals.weights, law),
    p: tailOf(draws, stakes, law, scoring),
  };
}

/** The smallest p-value that any draws could give these weights. */
export function leastP(signals: Signals, scoring: Scoring): number {
  const { law } = signals;
  const { draws, stakes } = grouped(signals, scoring.repeats);
  if (isGreenList(law)) return leastCoinsTail(stakes, law.gamma);
  if (law.draws === "bernoulli") return leastBitsTail(weightsOfDraws(stakes, law), law.gamma);
  return tailOf(draws.fill(law.largest), stakes, law, scoring);
}

/** Draws and weights of the groups, in the order of their first tokens. */
export function grouped(
  { draws, weights, groups, law }: Signals,
  rule: Repeats,
): { draws: Float64Array; stakes: Float64Array } {
  const parts = law.parts.length;
  const first: number[] = [];
  const sums: number[] = [];
  const sizes: number[] = [];
  const places = new Int32Array(groups.reduce((a, b) => Math.max(a, b), -1) + 1); // from 1 on
  for (let n = 0; n < groups.length; n++) {
    const group = groups[n]!;
    if (!places[group]) {
      places[group] = first.push(n);
      sums.push(0);
      sizes.push(0);
    }
    const at = places[group]! - 1;
    sums[at]! += weights[n]!;
    sizes[at]!++;
  }
  const kept = new Float64Array(first.length * parts);
  first.forEach((n, at) => kept.set(draws.subarray(n * parts, (n + 1) * parts), at * parts));
  return { draws: kept, stakes: Float64Array.from(sums, (sum, at) => sum * shareOf(sizes[at]!, rule)) };
}

function tailOf(draws: Float64Array, stakes: Float64Array, law: Law, scoring: Scoring): number {
  if (law.draws === "exponential") return exponentialTail(draws, weightsOfDraws(stakes, law));
  const [bits, split] = [Array.from(draws, (draw) => draw > 0), scoring.ties === "split"];
  if (isGreenList(law)) return coinsTail(bits, stakes, law.gamma, split);
  return bitsTail(bits, weightsOfDraws(stakes, law), law.gamma, split);
}

function weightsOfDraws(stakes: Float64Array, { parts }: Law): Float64Array {
  return Float64Array.from({ length: stakes.length * parts.length }, (_, n) => stakes[Math.floor(n / parts.length)]! * parts[n % parts.length]!);
}

/** Standardised weighted sum; 0 where no signal has weight. */
function zOf(signal: Float64Array, weights: Float64Array, law: Law): number {
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  if (largest === 0) return 0;
  const mean = meanOf(law);
  let [excess, squares] = [0, 0];
  weights.forEach((weight, n) => {
    const share = weight / largest;
    excess += share * (signal[n]! - mean);
    squares += share * share;
  });
  return excess / Math.sqrt(varianceOf(law) * squares);
}
