/** How a token's signal is distributed on unmarked text, over random keys. */
import { sumOf } from "./statistics/sums";

/** A weighted sum of Bernoulli draws (one: a colour; several: a bit a layer), or of exponentials of mean 1. */
export interface Law {
  readonly draws: "bernoulli" | "exponential";
  /** Probability that a Bernoulli draw is 1. */
  readonly gamma: number;
  /** Weight of each draw of a token. */
  readonly parts: readonly number[];
  /** The largest exponential draw there is. */
  readonly largest: number;
}

/** Whether the signal is a colour: one Bernoulli draw of weight 1. */
export function isGreenList(law: Law): boolean {
  return law.draws === "bernoulli" && law.parts.length === 1 && law.parts[0] === 1;
}

/** Mean of a token's signal. */
export function meanOf(law: Law): number {
  return (law.draws === "bernoulli" ? law.gamma : 1) * law.parts.reduce((a, b) => a + b, 0);
}

/** Variance of a token's signal. */
export function varianceOf(law: Law): number {
  const one = law.draws === "bernoulli" ? law.gamma * (1 - law.gamma) : 1;
  return one * law.parts.reduce((sum, part) => sum + part * part, 0);
}

/** What about half of unmarked signals are above. */
export function middleOf(law: Law): number {
  return law.draws === "exponential" && law.parts.length === 1 ? Math.LN2 : meanOf(law);
}

/** What the draws of each token come to. */
export function signalsOf(draws: Float64Array, law: Law): Float64Array {
  const { parts } = law;
  if (parts.length === 1 && parts[0] === 1) return draws;
  const products = new Float64Array(parts.length);
  return Float64Array.from({ length: draws.length / parts.length }, (_, n) => {
    parts.forEach((part, d) => (products[d] = part * draws[n * parts.length + d]!));
    return sumOf(products);
  });
}
