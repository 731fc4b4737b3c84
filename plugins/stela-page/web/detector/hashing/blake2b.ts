/**
 * BLAKE2b (RFC 7693) of short messages under one key: eight bytes of it, personalised.
 *
 * The block of the key is worked on once, where a library works on it with every message. Numbers of 64 bits are two
 * halves, the low one first.
 */
import type { Words } from "./words";

const BLOCK = 128;
const DIGEST = 8;
const KEY = 8;
const PERSON = 12; // the place of its first word of 32 bits among the parameters
const INITIAL = Int32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);
const ROUNDS = [
  ...["0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d"],
  ...["2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"],
];
/** Which words of the message the rounds take: places of their low halves; the last two are as the first. */
const ORDER = Uint8Array.from([...ROUNDS, ...ROUNDS.slice(0, 2)].join(""), (digit) => 2 * parseInt(digit, 16));

const work = new Int32Array(32);
const message = new Int32Array(32);
const state = new Int32Array(16);

/** Hashes messages of numbers of 32 bits, each as four bytes, little-endian: at most 32 of them. */
export class Blake2b {
  /** The state behind the block of the key. */
  private readonly keyed: Int32Array;

  /** @param person at most 16 bytes. */
  constructor(key: Words, person: string) {
    state.set(INITIAL);
    state[0]! ^= 0x01010000 | (KEY << 8) | DIGEST;
    const padded = new Uint8Array(16);
    new TextEncoder().encodeInto(person, padded);
    const view = new DataView(padded.buffer);
    for (let n = 0; n < 4; n++) state[PERSON + n]! ^= view.getInt32(4 * n, true);
    message.fill(0);
    message[0] = key.low;
    message[1] = key.high;
    compress(BLOCK, false);
    this.keyed = state.slice();
  }

  /** The digest of a message of at least one number. */
  of(numbers: readonly number[]): Words {
    state.set(this.keyed);
    message.fill(0);
    for (let n = 0; n < numbers.length; n++) message[n] = numbers[n]!;
    compress(BLOCK + 4 * numbers.length, true);
    return { low: state[0]! >>> 0, high: state[1]! >>> 0 };
  }
}

/** The longest message, in numbers. */
export const MOST = BLOCK / 4;

/** Works the message into the state, once `count` bytes were taken in. */
function compress(count: number, last: boolean): void {
  work.set(state);
  work.set(INITIAL, 16);
  work[24]! ^= count;
  if (last) {
    work[28] = ~work[28]!;
    work[29] = ~work[29]!;
  }
  const v = work; // read once: a browser would look a global up at each use
  const m = message;
  for (let at = 0; at < ORDER.length; at += 16) {
    mixed(v, m, 0, 8, 16, 24, at);
    mixed(v, m, 2, 10, 18, 26, at + 2);
    mixed(v, m, 4, 12, 20, 28, at + 4);
    mixed(v, m, 6, 14, 22, 30, at + 6);
    mixed(v, m, 0, 10, 20, 30, at + 8);
    mixed(v, m, 2, 12, 22, 24, at + 10);
    mixed(v, m, 4, 14, 16, 26, at + 12);
    mixed(v, m, 6, 8, 18, 28, at + 14);
  }
  for (let n = 0; n < 16; n++) state[n]! ^= work[n]! ^ work[n + 16]!;
}

/** The function G of four numbers, with the two words of the message whose places stand at `at`. */
function mixed(v: Int32Array, m: Int32Array, a: number, b: number, c: number, d: number, at: number): void {
  const x = ORDER[at]!;
  const y = ORDER[at + 1]!;
  let al = v[a]!;
  let ah = v[a + 1]!;
  let bl = v[b]!;
  let bh = v[b + 1]!;
  let cl = v[c]!;
  let ch = v[c + 1]!;
  let dl = v[d]!;
  let dh = v[d + 1]!;
  // A sum carries where it is smaller than what it was taken of: without numbers of 53 bits.
  let before = al;
  al = (al + bl) | 0;
  ah = (ah + bh + ((al >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  before = al;
  al = (al + m[x]!) | 0;
  ah = (ah + m[x + 1]! + ((al >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  let xl = dl ^ al;
  let xh = dh ^ ah;
  dl = xh;
  dh = xl;
  before = cl;
  cl = (cl + dl) | 0;
  ch = (ch + dh + ((cl >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  xl = bl ^ cl;
  xh = bh ^ ch;
  bl = (xl >>> 24) | (xh << 8);
  bh = (xh >>> 24) | (xl << 8);
  before = al;
  al = (al + bl) | 0;
  ah = (ah + bh + ((al >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  before = al;
  al = (al + m[y]!) | 0;
  ah = (ah + m[y + 1]! + ((al >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  xl = dl ^ al;
  xh = dh ^ ah;
  dl = (xl >>> 16) | (xh << 16);
  dh = (xh >>> 16) | (xl << 16);
  before = cl;
  cl = (cl + dl) | 0;
  ch = (ch + dh + ((cl >>> 0) < (before >>> 0) ? 1 : 0)) | 0;
  xl = bl ^ cl;
  xh = bh ^ ch;
  v[a] = al;
  v[a + 1] = ah;
  v[b] = (xh >>> 31) | (xl << 1);
  v[b + 1] = (xl >>> 31) | (xh << 1);
  v[c] = cl;
  v[c + 1] = ch;
  v[d] = dl;
  v[d + 1] = dh;
}
