/** How a code is written: which of its symbols a token's seed holds (stela_payload/blocks.py, which has the definition). */
import { mix } from "../hashing/mix";
import { upperProduct, type Words } from "../hashing/words";

/** SplitMix64's step and multipliers. */
export const GOLDEN: Words = { high: 0x9e3779b9, low: 0x7f4a7c15 };
export const FIRST: Words = { high: 0xbf58476d, low: 0x1ce4e5b9 };
export const SECOND: Words = { high: 0x94d049bb, low: 0x133111eb };

const CHOOSES = 0xffffffff;

/** The block that a seed holds. */
export function chosenBlock(seed: Words, count: number): number {
  return count === 1 ? 0 : Math.floor((mix(seed, CHOOSES) * count) / 2 ** 32);
}

/** The seed that holds this value. */
export function changedSeed(seed: Words, value: number): Words {
  let x = sum(seed, product({ high: 0, low: value + 1 }, GOLDEN));
  x = product(shifted(x, 30), FIRST);
  x = product(shifted(x, 27), SECOND);
  return shifted(x, 31);
}

function sum(a: Words, b: Words): Words {
  const low = (a.low + b.low) >>> 0;
  return { low, high: (a.high + b.high + (low < a.low ? 1 : 0)) >>> 0 };
}

/** Modulo 2**64. */
function product(a: Words, b: Words): Words {
  const high = upperProduct(a.low, b.low) + Math.imul(a.low, b.high) + Math.imul(a.high, b.low);
  return { low: Math.imul(a.low, b.low) >>> 0, high: high >>> 0 };
}

/** x ^ x >> by, for a shift of less than 32. */
function shifted({ low, high }: Words, by: number): Words {
  return { low: (low ^ ((low >>> by) | (high << (32 - by)))) >>> 0, high: (high ^ (high >>> by)) >>> 0 };
}
