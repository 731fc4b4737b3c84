/**
 * Hashes of words and of their rows in tables: MurmurHash64A as spaCy asks it, MurmurHash3 as thinc writes it.
 *
 * In halves of 32 bits: every number beyond that is an object of its own to a browser.
 */
import { upperProduct } from "../hashing/words";

const M_LOW = 0x5bd1e995;
const M_HIGH = 0xc6a4a793;
const SEED = 1;
const encoder = new TextEncoder();
/** A short word's bytes. */
const LONGEST = 64;
const short = new Uint8Array(3 * LONGEST);

/** The halves of the number that is worked on. */
let low = 0;
let high = 0;

/** spaCy's number of a string: MurmurHash64A of its bytes, seed 1. */
export function hashOfString(text: string): bigint {
  const bytes = bytesOf(text);
  const count = bytes.length;
  const whole = count & ~7;
  put(count, 0);
  times(M_LOW, M_HIGH);
  let [l, h] = [low ^ SEED, high];
  for (let at = 0; at < whole; at += 8) {
    put(word(bytes, at, at + 4), word(bytes, at + 4, at + 8));
    times(M_LOW, M_HIGH);
    fold(47);
    times(M_LOW, M_HIGH);
    put(low ^ l, high ^ h);
    times(M_LOW, M_HIGH);
    l = low;
    h = high;
  }
  put(l, h);
  if (whole < count) {
    put(l ^ word(bytes, whole, Math.min(count, whole + 4)), h ^ word(bytes, whole + 4, count));
    times(M_LOW, M_HIGH);
  }
  fold(47);
  times(M_LOW, M_HIGH);
  fold(47);
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** The four rows of a table that stand for a number, below a table's size (thinc's numpy_ops.pyx). */
export function rowsOf(id: bigint, seed: number, size: number): number[] {
  const other = seed ^ 8;
  put(Number(id & 0xffffffffn), Number(id >> 32n));
  times(0x114253d5, 0x87c37b91);
  put((low << 31) | (high >>> 1), (high << 31) | (low >>> 1));
  times(0x2745937f, 0x4cf5ad43);
  put(low ^ other, high);
  plus(other, 0);
  const [l, h] = [low, high];
  put(other, 0);
  plus(l, h);
  const [m, i] = [low, high];
  put(l, h);
  finish();
  const [n, j] = [low, high];
  put(m, i);
  finish();
  const [o, k] = [low, high];
  put(n, j);
  plus(o, k);
  const [p, q] = [low, high];
  plus(o, k);
  return [(p >>> 0) % size, (q >>> 0) % size, (low >>> 0) % size, (high >>> 0) % size];
}

function finish(): void {
  fold(33);
  times(0xed558ccd, 0xff51afd7);
  fold(33);
  times(0x1a85ec53, 0xc4ceb9fe);
  fold(33);
}

function put(l: number, h: number): void {
  low = l | 0;
  high = h | 0;
}

function times(l: number, h: number): void {
  const upper = upperProduct(low >>> 0, l);
  high = (upper + Math.imul(high, l) + Math.imul(low, h)) | 0;
  low = Math.imul(low, l);
}

function plus(l: number, h: number): void {
  const sum = (low >>> 0) + (l >>> 0);
  low = sum | 0;
  high = (high + h + (sum > 0xffffffff ? 1 : 0)) | 0;
}

/** x ^= x >> bits, for 32 bits and more. */
function fold(bits: number): void {
  low ^= high >>> (bits - 32);
}

/** Up to four bytes as a number, little-endian. */
function word(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = to - 1; at >= from; at--) number = (number << 8) | bytes[at]!;
  return number;
}

/** Its bytes in UTF-8, until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length > LONGEST) return encoder.encode(text);
  return short.subarray(0, encoder.encodeInto(text, short).written);
}
