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

/** How many numbers the network sees of a place. */
export function givenWidth({ char_width, ending_width, lengths }: Description): number {
  return char_width + lengths.length * ending_width;
}

/** Within the bounds of `Description` in Python, with as many numbers as it says, all finite. */
function isSound(file: TaggerFile): boolean {
  const { space, characters, folded, lengths, bits, labels, dilations, delay, char_width, ending_width, width, numbers } = file;
  const known = [...characters];
  const given = givenWidth(file);
  const scores = (delay + 1) * (1 + labels.length);
  const first = (FIRST_UNKNOWN + BLOCKS + known.length) * char_width + lengths.length * 2 ** bits * ending_width;
  const layers = width * (TAPS * (given + (dilations.length - 1) * width) + dilations.length);
  return (
    known.length <= 100_000 && known.length === new Set(known).size && known.length === [...folded].length &&
    areWhole(space, 1000, 0, 0xffff) && areWhole(lengths, 16, 1, 64) && areWhole(dilations, 16, 1, 64) &&
    areWhole([bits], 1, 1, 20) && areWhole([delay], 1, 0, 16) && areWhole([char_width, ending_width, width], 3, 1, 1024) &&
    lengths.every((length, n) => !n || length > lengths[n - 1]!) && given % AT_ONCE === 0 && width % AT_ONCE === 0 &&
    Array.isArray(labels) && labels.length > 0 && labels.length <= 1000 && labels.every((label) => typeof label === "string") &&
    numbers.length === first + layers + scores * (width + 1) && numbers.every((number) => number === number)
  );
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
