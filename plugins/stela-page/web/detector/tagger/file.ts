/** A causal tagger's file as stela_causal/portable.py writes it: a line of JSON, then 16-bit floats, little-endian. */
import { UnsupportedProfile } from "../types";

/** Which tagger it is. */
export interface Identity {
  readonly name: string;
  readonly model: string;
  readonly fingerprint: string;
  /** What its windows count. */
  readonly unit: "word" | "character";
}

/** What a model knows, as model.json says it (stela_causal/word_files.py). */
export interface Description {
  /** Code points that are white space. */
  readonly space: readonly number[];
  readonly characters: string;
  /** What stands for each character in endings. */
  readonly folded: string;
  readonly lengths: readonly number[];
  readonly bits: number;
  readonly labels: readonly string[];
  readonly dilations: readonly number[];
  readonly delay: number;
  readonly char_width: number;
  readonly ending_width: number;
  readonly width: number;
  /** Ranges of unknown characters: first, last, kind, what stands for them in endings or -1. */
  readonly kinds?: readonly (readonly number[])[];
  /** Whether each syllable of Hangul is the sum of its parts. */
  readonly syllables?: boolean;
  /** Whether endings are the last characters, white space or not, and the pairs that alone have a row. */
  readonly grams?: boolean;
  readonly pairs?: string;
  /** The characters of a word that say its label. */
  readonly labels_at?: "first" | "all";
  /** A separate network that says where words begin; the first so many pairs are known to it. */
  readonly boundaries?: { readonly width: number; readonly dilations: readonly number[]; readonly pairs: number };
}

/** A network's size: what it knows of endings, and its scores of a character. */
export interface Shape {
  readonly width: number;
  readonly dilations: readonly number[];
  readonly rows: number;
  readonly kinds: number;
}

export interface TaggerFile extends Identity, Description {
  readonly format: string;
  /** Weights and biases in the order of `Description.shapes`. */
  readonly numbers: Float32Array;
}

/** Blocks of code points that share the number of an unknown character, behind white space and nothing. */
export const BLOCKS = 32;
export const FIRST_UNKNOWN = 2;
/** Places that a convolution sees. */
export const TAPS = 3;
/** Inputs whose products are added first. */
export const AT_ONCE = 4;

export const POINTS = 0x110000;
/** Initials, medials and finals that a syllable of Hangul is one of each of. */
export const JAMO = [19, 21, 28] as const;
export const SYLLABLES = 11_172;

const LINE_FEED = 10;

/** Read a tagger's file; throws UnsupportedProfile where it is none. */
export function taggerFile(bytes: Uint8Array): TaggerFile {
  const end = bytes.indexOf(LINE_FEED);
  let file: TaggerFile;
  try {
    const head = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end))) as TaggerFile;
    file = { ...head, numbers: floats(bytes.slice(end + 1)) };
    if (file.format === "stela-tagger/2" && isSound(file)) return file;
  } catch {
    // Then it is no such file, either.
  }
  throw new UnsupportedProfile("the page's tagger is damaged");
}

/** How many numbers a network sees of a place. */
export function givenWidth({ char_width, ending_width, lengths }: Description): number {
  return char_width + lengths.length * ending_width;
}

/** How many characters have a number, but for syllables. */
export function charactersOf({ characters, kinds }: Description): number {
  return FIRST_UNKNOWN + (kinds ? 1 + Math.max(...kinds.map((kind) => kind[2]!)) : BLOCKS) + [...characters].length;
}

/** The networks in their order: what says where words begin, and what their labels are. */
export function shapesOf({ width, dilations, bits, pairs, labels, boundaries }: Description): Shape[] {
  const rows = pairs ? 1 + [...pairs].length / 2 : 2 ** bits;
  const main = { width, dilations, rows, kinds: boundaries ? 2 * labels.length : 1 + labels.length };
  return boundaries ? [{ ...boundaries, rows: 1 + boundaries.pairs, kinds: 2 }, main] : [main];
}

/** Within the bounds of `Description` in Python, with as many numbers as it says, all finite. */
function isSound(file: TaggerFile): boolean {
  const { space, characters, folded, lengths, bits, labels, dilations, delay, char_width, ending_width, width, numbers } = file;
  const { kinds, syllables, grams, pairs = "", labels_at, boundaries } = file;
  const other = boundaries ?? { width, dilations, pairs: 0 };
  const known = [...characters];
  const given = givenWidth(file);
  const all = [...pairs].length;
  const isKind = (kind: readonly number[]): boolean => areWhole(kind, 4, -1, POINTS - 1) && areWhole([kind[0]!, kind[2]!], 2, 0, POINTS) && kind.length === 4;
  const isFit =
    known.length <= 100_000 && known.length === new Set(known).size && known.length === [...folded].length &&
    areWhole(space, 1000, 0, 0xffff) && areWhole(lengths, 16, 1, grams ? 3 : 64) && areWhole(dilations, 16, 1, 64) && areWhole(other.dilations, 16, 1, 64) &&
    areWhole([bits], 1, 1, 20) && areWhole([delay], 1, 0, 16) && areWhole([char_width, ending_width, width, other.width], 4, 1, 1024) &&
    lengths.every((length, n) => !n || length > lengths[n - 1]!) && !(given % AT_ONCE || width % AT_ONCE || other.width % AT_ONCE) &&
    Array.isArray(labels) && labels.length > 0 && labels.length <= 1000 && labels.every((label) => typeof label === "string") &&
    (!kinds || kinds.every(isKind)) && areWhole([all / 2, all / 2 - other.pairs], 2, 0, 1e6) && (labels_at === "all") === !!boundaries;
  if (!isFit) return false;
  const characterSize = (charactersOf(file) + (syllables ? JAMO[0] + JAMO[1] + JAMO[2] : 0)) * char_width;
  let size = 0;
  for (const { width, dilations, rows, kinds } of shapesOf(file)) {
    size += characterSize + lengths.length * rows * ending_width;
    size += width * (TAPS * (given + (dilations.length - 1) * width) + dilations.length) + (delay + 1) * kinds * (width + 1);
  }
  return numbers.length === size && numbers.every((number) => number === number);
}

function areWhole(list: readonly number[], most: number, least: number, largest: number): boolean {
  const isWithin = (one: number): boolean => Number.isInteger(one) && one >= least && one <= largest;
  return Array.isArray(list) && list.length > 0 && list.length <= most && list.every(isWithin);
}

/** The numbers that 16 bits each stand for (IEEE 754, binary16); what is infinite there is not a number here. */
function floats(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(bytes.buffer, 0, bytes.length >> 1);
  const values = new Float32Array(1 << 16);
  for (let half = 0; half < values.length; half++) {
    const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
    const size = exponent === 31 ? NaN : exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
    values[half] = half >> 15 ? -size : size;
  }
  const numbers = new Float32Array(halves.length);
  for (let n = 0; n < numbers.length; n++) numbers[n] = values[halves[n]!]!;
  return numbers;
}
