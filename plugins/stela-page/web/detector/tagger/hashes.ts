/** Hashes of words and of their rows in tables: MurmurHash64A as spaCy asks it, MurmurHash3 as thinc writes it. */

const ALL = 0xffffffffffffffffn;
const M = 0xc6a4a7935bd1e995n;
const SEED = 1n;
const encoder = new TextEncoder();

/** spaCy's number of a string: MurmurHash64A of its bytes, seed 1. */
export function hashOfString(text: string): bigint {
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length & ~7;
  let hash = SEED ^ ((BigInt(bytes.length) * M) & ALL);
  for (let at = 0; at < whole; at += 8) {
    let k = (view.getBigUint64(at, true) * M) & ALL;
    k = ((k ^ (k >> 47n)) * M) & ALL;
    hash = ((hash ^ k) * M) & ALL;
  }
  if (whole < bytes.length) {
    let rest = 0n;
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8n) | BigInt(bytes[at]!);
    hash = ((hash ^ rest) * M) & ALL;
  }
  hash = ((hash ^ (hash >> 47n)) * M) & ALL;
  return hash ^ (hash >> 47n);
}

/** The four rows of a table that stand for a number, below a table's size (thinc's numpy_ops.pyx). */
export function rowsOf(id: bigint, seed: number, size: number): number[] {
  const [mixed, own] = [BigInt(seed), 8n];
  let one = (id * 0x87c37b91114253d5n) & ALL;
  one = ((one << 31n) | (one >> 33n)) & ALL;
  one = ((one * 0x4cf5ad432745937fn) & ALL) ^ mixed ^ own;
  let two = mixed ^ own;
  one = (one + two) & ALL;
  two = (two + one) & ALL;
  one = finished(one);
  two = finished(two);
  one = (one + two) & ALL;
  two = (two + one) & ALL;
  const words = [one & 0xffffffffn, one >> 32n, two & 0xffffffffn, two >> 32n];
  return words.map((word) => Number(word) % size);
}

function finished(hash: bigint): bigint {
  let h = hash ^ (hash >> 33n);
  h = (h * 0xff51afd7ed558ccdn) & ALL;
  h ^= h >> 33n;
  h = (h * 0xc4ceb9fe1a85ec53n) & ALL;
  return h ^ (h >> 33n);
}
