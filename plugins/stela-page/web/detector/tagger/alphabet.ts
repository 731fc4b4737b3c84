/** Characters as numbers, and endings of words as buckets (stela_causal/alphabet.py, endings.py). */
import { upperProduct } from "../hashing/words";
import { BLOCKS, type Description, FIRST_UNKNOWN } from "./file";

const SPACE = 1;
const BLOCK_SIZE = 256;
const POINTS = 0x110000;
/** 2**64 over the golden ratio, in halves: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). */
const LOW = 0x7f4a7c15;
const HIGH = 0x9e3779b9;
const BLANK = 32;

export class Alphabet {
  /** The number of each code point, and what stands for it in endings. */
  readonly ids = new Int32Array(POINTS);
  readonly folded = new Int32Array(POINTS);
  private readonly lengths: readonly number[];
  private readonly bits: number;

  constructor({ characters, folded, space, lengths, bits }: Description) {
    const stands = [...folded];
    for (let point = 0; point < POINTS; point++) {
      this.ids[point] = (Math.floor(point / BLOCK_SIZE) % BLOCKS) + FIRST_UNKNOWN;
      this.folded[point] = point;
    }
    [...characters].forEach((character, n) => {
      const point = character.codePointAt(0)!;
      this.ids[point] = FIRST_UNKNOWN + BLOCKS + n;
      this.folded[point] = stands[n]!.codePointAt(0)!;
    });
    for (const point of space) this.ids[point] = SPACE;
    [this.lengths, this.bits] = [lengths, bits];
  }

  isSpace(point: number): boolean {
    return this.ids[point] === SPACE;
  }

  /** The buckets of an ending: of a word's last characters, folded, the last one first; all of the word where it is shorter. */
  buckets(ending: readonly number[]): number[] {
    const { lengths, bits } = this;
    const buckets: number[] = [];
    let [low, high] = [1, 0];
    for (let back = 0; buckets.length < lengths.length; back++) {
      const point = ending[back] ?? BLANK;
      const mixed = (low ^ point) >>> 0;
      high = (upperProduct(mixed, LOW) + Math.imul(high, LOW) + Math.imul(mixed, HIGH)) | 0;
      low = Math.imul(mixed, LOW) ^ high;
      const bucket = (upperProduct(low >>> 0, LOW) + Math.imul(high, LOW) + Math.imul(low, HIGH)) >>> (32 - bits);
      if (back + 1 === lengths[buckets.length]) buckets.push(bucket);
      if (back >= ending.length) while (buckets.length < lengths.length) buckets.push(bucket);
    }
    return buckets;
  }
}
