/** A bound on the probability of naming a message that is none of the text's (stela_payload/errors.py, which proves it). */
import type { ReedSolomon } from "./reed-solomon";

/** Messages that a text may hold. */
const SEVERAL = 2;
/** Places that may be left out where the tokens of all others are tested together, at most k. */
const SUMMED = 3;

/** The p-value of the message over the tokens of some places, a set of bits; 1 where there are none. */
export type TailOf = (places: number) => number;

/** The bound, where there are so many other messages. */
export function errorOf(tail: TailOf, code: ReedSolomon, messages: number): number {
  const { n, k } = code;
  const every = 2 ** n - 1;
  if (k === 1) return Math.min(1, messages * tail(every));
  let worst = 2 * messages * tail(every);
  if (worst >= 1) return 1;
  const add = (left: number, most: number): void => {
    worst = Math.max(worst, 2 ** (left + 1) * expectedNumber(code, messages, left) * most);
  };
  const summed = Math.min(k, SUMMED);
  for (let left = 1; left <= summed; left++) add(left, Math.max(...setsOf(n, left).map((out) => tail(every - out))));
  const evidence = Array.from({ length: n }, (_, j) => -Math.log(tail(2 ** j))).sort((a, b) => a - b);
  for (let left = summed + 1; left <= n; left++) {
    add(left, fisherTail(evidence.slice(0, n - left).reduce((a, b) => a + b, 0), n - left));
  }
  return Math.min(1, worst);
}

/** How many other messages are expected to share so many symbols with those of the text. */
export function expectedNumber({ n, values }: ReedSolomon, messages: number, shared: number): number {
  let choices = 1;
  for (let i = 0; i < shared; i++) choices = (choices * (n - i)) / (i + 1);
  return messages * choices * (SEVERAL / values) ** shared;
}

/** The probability that so many exponential draws add up to so much; 1 of none. */
export function fisherTail(evidence: number, count: number): number {
  if (count === 0 || evidence === 0) return 1;
  if (evidence === Infinity) return 0;
  let [term, total] = [1, 1];
  for (let i = 1; i < count; i++) {
    term *= evidence / i;
    total += term;
  }
  return Math.exp(Math.log(total) - evidence);
}

/** All sets of so many of n places. */
function setsOf(n: number, size: number, from = 0): number[] {
  if (size === 0) return [0];
  const sets: number[] = [];
  for (let j = from; j < n; j++) sets.push(...setsOf(n, size - 1, j + 1).map((rest) => rest + 2 ** j));
  return sets;
}
