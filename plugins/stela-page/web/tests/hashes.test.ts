/** Hashes in halves of 32 bits against the same written with whole numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOfString, rowsOf } from "../detector/tagger/hashes";
import { numbers } from "./made-up";

const ALL = 0xffffffffffffffffn;
const M = 0xc6a4a7935bd1e995n;

function plainHash(text: string): bigint {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length & ~7;
  let hash = 1n ^ ((BigInt(bytes.length) * M) & ALL);
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

function plainRows(id: bigint, seed: number, size: number): number[] {
  const finished = (hash: bigint): bigint => {
    let h = hash ^ (hash >> 33n);
    h = (h * 0xff51afd7ed558ccdn) & ALL;
    h ^= h >> 33n;
    h = (h * 0xc4ceb9fe1a85ec53n) & ALL;
    return h ^ (h >> 33n);
  };
  let one = (id * 0x87c37b91114253d5n) & ALL;
  one = ((one << 31n) | (one >> 33n)) & ALL;
  one = ((one * 0x4cf5ad432745937fn) & ALL) ^ BigInt(seed) ^ 8n;
  let two = BigInt(seed) ^ 8n;
  one = (one + two) & ALL;
  two = (two + one) & ALL;
  [one, two] = [finished(one), finished(two)];
  one = (one + two) & ALL;
  two = (two + one) & ALL;
  return [one & 0xffffffffn, one >> 32n, two & 0xffffffffn, two >> 32n].map((word) => Number(word) % size);
}

/** Words of up to 90 characters of one to four bytes. */
const WORDS = Array.from({ length: 3000 }, (_, n) => {
  const drawn = numbers(n + 1, n % 90);
  const most = [0x80, 0x800, 0xd800, 0x10ffff][n % 4]!;
  return drawn.map((x) => String.fromCodePoint(x % most)).join("");
});

test("numbers of words are those of whole numbers", () => {
  for (const word of WORDS) assert.equal(hashOfString(word), plainHash(word), JSON.stringify(word));
});

test("rows of words are those of whole numbers", () => {
  WORDS.forEach((word, n) => {
    const [id, seed, size] = [plainHash(word), numbers(n + 5, 1)[0]! % 2 ** 31, 1 + (n % 5000)];
    assert.deepEqual(rowsOf(id, seed, size), plainRows(id, seed, size));
  });
  for (const id of [0n, 1n, ALL, 1n << 63n, (1n << 32n) - 1n]) assert.deepEqual(rowsOf(id, 8, 997), plainRows(id, 8, 997));
});
