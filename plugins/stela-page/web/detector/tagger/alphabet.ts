/** Characters as numbers, and endings of words as buckets (stela_causal/alphabet.py, endings.py). */
import { upperProduct } from "../hashing/words";
import { BLOCKS, charactersOf, type Description, FIRST_UNKNOWN, POINTS, SYLLABLES } from "./file";

const SPACE = 1;
const BLOCK_SIZE = 256;
const FIRST_SYLLABLE = 0xac00;
/** A code point has so many bits; by this a key goes on. */
const SHIFT = 2 ** 21;
/** 2**64 over the golden ratio, in halves: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). */
const LOW = 0x7f4a7c15;
const HIGH = 0x9e3779b9;
const BLANK = 32;

export class Alphabet {
  /** The number of each code point, and what stands for it in endings. */
  readonly ids = new Int32Array(POINTS);
  readonly folded = new Int32Array(POINTS);
  /** The numbers that syllables would have otherwise. */
  readonly syllables: Int32Array;
  readonly grams: boolean;
  private readonly lengths: readonly number[];
  private readonly bits: number;
  private readonly pairs = new Map<number, number>();

  constructor(file: Description) {
    const { characters, folded, space, lengths, bits, kinds = [], syllables, grams = false, pairs = "" } = file;
    const [known, stands, size] = [[...characters], [...folded], charactersOf(file)];
    for (let point = 0; point < POINTS; point++) {
      this.ids[point] = (Math.floor(point / BLOCK_SIZE) % BLOCKS) + FIRST_UNKNOWN;
      this.folded[point] = point;
    }
    for (const [first, last, kind, to] of kinds) {
      this.ids.fill(FIRST_UNKNOWN + kind!, first, last! + 1);
      if (to! >= 0) this.folded.fill(to!, first, last! + 1);
    }
    known.forEach((character, n) => {
      const point = character.codePointAt(0)!;
      this.ids[point] = size - known.length + n;
      this.folded[point] = stands[n]!.codePointAt(0)!;
    });
    for (const point of space) this.ids[point] = SPACE;
    this.syllables = this.ids.slice(FIRST_SYLLABLE, FIRST_SYLLABLE + SYLLABLES);
    if (syllables) for (let n = 0; n < SYLLABLES; n++) this.ids[FIRST_SYLLABLE + n] = size + n;
    const each = [...pairs].map((character) => character.codePointAt(0)!);
    for (let n = 0; n < each.length; n += 2) this.pairs.set(each[n]! * SHIFT + each[n + 1]!, 1 + n / 2);
    [this.lengths, this.bits, this.grams] = [lengths, bits, grams];
  }

  isSpace(point: number): boolean {
    return this.ids[point] === SPACE;
  }

  /** The buckets of an ending: of a word's last characters, folded, the last one first; all of the word where it is shorter. */
  buckets(ending: readonly number[]): number[] {
    const { lengths, bits } = this;
    const buckets: number[] = [];
    if (this.grams) return lengths.map((length) => this.gram(ending, length));
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

  /** The row of the last characters (stela_causal/grams.py): of a pair that is known, or a bucket of 21 bits of each. */
  private gram(ending: readonly number[], length: number): number {
    const [c, b, a] = [ending[0]!, ending[1] ?? POINTS, length > 2 ? (ending[2] ?? POINTS) : 0];
    const before = length > 1 ? b : 0;
    if (this.pairs.size) return this.pairs.get(before * SHIFT + c) ?? 0;
    const [low, high] = [((before << 21) | c) >>> 0, (a << 10) | (before >>> 11)];
    return (upperProduct(low, LOW) + Math.imul(high, LOW) + Math.imul(low, HIGH)) >>> (32 - this.bits);
  }
}
