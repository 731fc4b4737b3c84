/** SGLang's hash: MurmurHash3 x86_32 (A. Appleby, public domain) of whole words (stela_gumbel/sglang_hash.py). */
import type { Words } from "./words";

/** The state after one word more. */
export function murmurMixed(state: number, word: number): number {
  const value = Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotated(state ^ value, 13), 5) + 0xe6546b64) >>> 0;
}

/** The hash of so many words from the state after them. */
export function murmurFinished(state: number, words: number): number {
  let value = state ^ (words * 4);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** The hash of words. */
export function murmur(words: readonly number[]): number {
  return murmurFinished(words.reduce(murmurMixed, 0), words.length);
}

/** The number of a token after a context of this hash. */
export function sglangNumber(key: Words, contextHash: number, token: number): number {
  return murmur([key.low, key.high, contextHash, token]);
}

/** Whether key A, of two, marks a context of this hash. */
export function takesA(a: Words, b: Words, contextHash: number, mixing: number): boolean {
  return murmur([a.low, a.high, b.low, b.high, contextHash]) < Math.trunc(mixing * 4294967296);
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
