/** Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): 128 bits to 128 bits under a key of 64. */
import { upperProduct } from "./words";

/** Four words of 32 bits. */
export type Four = readonly [number, number, number, number];

/** The output of a counter under the two words of a key. */
export function philox(counter: Four, key0: number, key1: number): Four {
  let [a, b, c, d] = counter;
  for (let round = 0; round < 10; round++) {
    const first = Math.imul(a, 0xd2511f53) >>> 0;
    const second = Math.imul(c, 0xcd9e8d57) >>> 0;
    const carried = upperProduct(a, 0xd2511f53);
    a = (upperProduct(c, 0xcd9e8d57) ^ b ^ key0) >>> 0;
    c = (carried ^ d ^ key1) >>> 0;
    b = second;
    d = first;
    key0 = (key0 + 0x9e3779b9) >>> 0;
    key1 = (key1 + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}
