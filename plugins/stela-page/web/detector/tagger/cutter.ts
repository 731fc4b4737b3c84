/** What cuts texts into words: rules, or a network. */

/** A word of a text. */
export interface Word {
  readonly text: string;
  /** What a special case says of it. */
  readonly norm: string | undefined;
  /** Whether a blank follows. */
  blank: boolean;
}

/** Cuts texts into words. */
export interface Cutter {
  /** Works out together what it will be asked for of the ends of these texts. */
  prepare(texts: readonly string[]): void;
  /** The text in pieces that are cut and tagged each by itself (stela_spacy/pieces.py). */
  pieces(text: string): string[];
  /** The last words, so many that `count` are not white space and `before` more stand before these; or more, or all. */
  lastWords(text: string, count: number, before: number): Word[];
  /** Whether a word is white space. */
  isSpace(word: string): boolean;
}

/** Pieces of a text in which runs without white space are cut behind so many characters each. */
export function piecesOf(text: string, longest: number, space: string): string[] {
  if (text.length <= longest) return [text];
  const runs = text.matchAll(new RegExp(`[^${space}]{${longest}}(?=[^${space}])`, "gu"));
  const cuts = [...runs].map((match) => match.index + match[0].length);
  return [0, ...cuts].map((start, n) => text.slice(start, cuts[n] ?? text.length));
}
