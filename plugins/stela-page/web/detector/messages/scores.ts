/** What each value of each block scores: all values of all pairs are tried (stela_payload/scores.py, compiled.py).
 *
 * Numbers are rounded to single precision where Python's are: of equal sums both find the same one.
 */
import type { Words } from "../hashing/words";
import { FIRST, GOLDEN, SECOND } from "./blocks";

/** A distinct pair of seed and token. */
export interface Pair {
  readonly seed: Words;
  readonly token: number;
  /** What it weighs. */
  readonly stake: number;
  /** Which block it holds. */
  readonly block: number;
}

/** What a number of 32 bits scores, times the stake; in single precision. */
export type Signal = { readonly below: number } | "exponential";

/** The weighted sums of signals under each value, a row for each block.
 *
 * @param signal below: green where a number is below it, which counts 1.
 */
export function scoresOfValues(pairs: readonly Pair[], signal: Signal, blocks: number, values: number): Float32Array[] {
  const rows = Array.from({ length: blocks }, () => new Float32Array(values));
  const numbers = new Uint32Array(values);
  for (const { seed, token, stake, block } of pairs) {
    fillNumbers(numbers, seed.low, seed.high, token);
    const row = rows[block]!;
    const single = Math.fround(stake);
    if (signal === "exponential") addExponential(row, numbers, single, exponentials());
    else addGreen(row, numbers, single, signal.below);
  }
  return rows;
}

function addGreen(row: Float32Array, numbers: Uint32Array, stake: number, below: number): void {
  for (let value = 0; value < row.length; value++) if (numbers[value]! < below) row[value]! += stake;
}

function addExponential(row: Float32Array, numbers: Uint32Array, stake: number, table: Float32Array): void {
  for (let value = 0; value < row.length; value++) row[value]! += Math.fround(stake * table[numbers[value]! >>> 16]!);
}

/** `mix(changedSeed(seed, value), token)` for all values: halves of 64-bit numbers in line, as nothing else is fast. */
function fillNumbers(numbers: Uint32Array, seedLow: number, seedHigh: number, token: number): void {
  const [goldenLow, goldenHigh] = [GOLDEN.low | 0, GOLDEN.high | 0];
  const [aLow, aHigh, bLow, bHigh] = [FIRST.low | 0, FIRST.high | 0, SECOND.low | 0, SECOND.high | 0];
  let [low, high] = [seedLow | 0, seedHigh | 0];
  for (let value = 0; value < numbers.length; value++) {
    low = (low + goldenLow) | 0;
    high = (high + goldenHigh + (low >>> 0 < goldenLow >>> 0 ? 1 : 0)) | 0;
    let u = low ^ ((low >>> 30) | (high << 2));
    let v = high ^ (high >>> 30);
    let w = Math.imul(u, aLow);
    v = (upper(u, FIRST.low, w) + Math.imul(u, aHigh) + Math.imul(v, aLow)) | 0;
    u = w;
    u ^= (u >>> 27) | (v << 5);
    v ^= v >>> 27;
    w = Math.imul(u, bLow);
    v = (upper(u, SECOND.low, w) + Math.imul(u, bHigh) + Math.imul(v, bLow)) | 0;
    u = w;
    u ^= (u >>> 31) | (v << 1);
    v ^= v >>> 31;
    // The definition of `mix`.
    let x = token ^ u;
    x ^= x >>> 17;
    x = Math.imul(x, 0xed5ad4bb) ^ v;
    x ^= x >>> 11;
    x = Math.imul(x, 0xac4c1b51);
    x ^= x >>> 15;
    x = Math.imul(x, 0x31848bab);
    numbers[value] = x ^ (x >>> 14);
  }
}

/** The upper 32 bits of the product of two words, of which the lower ones are known.
 *
 * A double rounds the product by at most 2**10, the difference by as much again: a trace of 2**32, whose multiple is left.
 */
function upper(a: number, b: number, lower: number): number {
  return (((a >>> 0) * b - (lower >>> 0)) * 2 ** -32 + 0.5) | 0;
}

let kept: Float32Array | undefined;

/** `-log(1 - x / 2**32)` by the upper 16 bits of x, in the middle of each range. */
function exponentials(): Float32Array {
  kept ??= Float32Array.from({ length: 1 << 16 }, (_, n) => -Math.log1p(-(n + 0.5) / (1 << 16)));
  return kept;
}
