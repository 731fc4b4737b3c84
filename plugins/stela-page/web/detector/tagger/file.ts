/** A tagger's file as stela_spacy/portable.py writes it: a line of JSON, then 32-bit floats, little-endian. */
import { UnsupportedProfile } from "../types";

/** What the network sees of a word: a part of it and that part's length. */
export type Feature = readonly [part: string, count: number];

/** How spaCy's tokenizer cuts; expressions are sources for the flag u. */
export interface RulesPart {
  readonly prefix: string;
  readonly suffix: string;
  readonly infix: string;
  readonly url: string;
  /** Characters without white space that are cut at once. */
  readonly longest: number;
  /** Words of special cases, each with its norm where the case says one. */
  readonly cases: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What special cases that are looked for among the tokens are cut into by the other rules. */
  readonly sought: readonly (readonly string[])[];
}

export interface FeaturesPart {
  readonly columns: readonly Feature[];
  /** Which of them a special case may set; -1: none. */
  readonly norm_column: number;
  readonly norms: Readonly<Record<string, string>>;
  /** Words that are numbered, not hashed. */
  readonly symbols: Readonly<Record<string, number>>;
}

/** Runs of code points, first and last of each laid end to end; letters and what they are in lower case. */
export interface CharactersPart {
  readonly space: readonly number[];
  readonly letters: readonly number[];
  readonly upper: readonly number[];
  readonly digits: readonly number[];
  readonly lower: readonly [string, string];
  /** Punctuation and symbols, where a tagger asks for the kinds of characters. */
  readonly signs?: readonly number[];
}

export interface NetworkPart {
  readonly width: number;
  readonly tables: readonly { readonly rows: number; readonly column: number; readonly seed: number }[];
  readonly labels: readonly string[];
}

/** Which tagger it is. */
export interface Identity {
  readonly name: string;
  readonly model: string;
  readonly fingerprint: string;
  /** What its windows count. */
  readonly unit: "word" | "character";
}

export interface TaggerFile extends Identity {
  readonly format: string;
  readonly characters: CharactersPart;
  readonly features: FeaturesPart;
  readonly network: NetworkPart;
  /** How words are cut: by rules, or by a network. */
  readonly rules?: RulesPart;
  readonly segmenter?: { readonly network: NetworkPart; readonly longest: number };
  /** Of the network, then of the segmenter's. */
  readonly numbers: Float32Array;
}

const LINE_FEED = 10;

/** Read a tagger's file; throws UnsupportedProfile where it is none. */
export function taggerFile(bytes: Uint8Array): TaggerFile {
  const end = bytes.indexOf(LINE_FEED);
  const head = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end))) as TaggerFile;
  if (head.format !== "stela-tagger/1") throw new UnsupportedProfile("the page's tagger is of a format that is not known");
  const rest = bytes.slice(end + 1);
  return { ...head, numbers: new Float32Array(rest.buffer, 0, rest.length >> 2) };
}
