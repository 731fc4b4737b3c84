/** A seed and a token id to a 32-bit number: the definition of docs/hashing.md. */
import type { Words } from "./words";

/** The number in 0 .. 2**32 - 1 of a token under a seed. */
export function mix(seed: Words, token: number): number {
  let x = token ^ seed.low;
  x ^= x >>> 17;
  x = Math.imul(x, 0xed5ad4bb);
  x ^= seed.high;
  x ^= x >>> 11;
  x = Math.imul(x, 0xac4c1b51);
  x ^= x >>> 15;
  x = Math.imul(x, 0x31848bab);
  return (x ^ (x >>> 14)) >>> 0;
}

/** A token is green where its number is below this. */
export function threshold(gamma: number): number {
  return Math.floor(gamma * 4294967296);
}

const DOWN = 1 - 2 ** -50;

/** `-log(1 - x / 2**bits)`, rounded down: never above the exponential law (stela_core/hashing/exponential.py). */
export function exponentialDraw(x: number, bits: number): number {
  return -Math.log1p(x * -(2 ** -bits)) * DOWN;
}
