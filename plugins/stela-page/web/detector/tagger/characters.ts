/** What characters are to the Python that wrote a tagger's file: browsers know other versions of Unicode. */
import type { CharactersPart } from "./file";

const CASED = /\p{Cased}/u;
const BETWEEN = /\p{Case_Ignorable}/u;

/** Python's isspace, isalpha, isupper, isdigit of a code point, and lower of a word. */
export class Characters {
  /** Bodies of classes of regular expressions with the flag u. */
  readonly space: string;
  readonly isSpace: (point: number) => boolean;
  readonly isLetter: (point: number) => boolean;
  readonly isUpper: (point: number) => boolean;
  readonly isDigit: (point: number) => boolean;
  private readonly isSign: (point: number) => boolean;
  private readonly lowered: ReadonlyMap<string, string>;

  constructor(part: CharactersPart) {
    this.space = bodyOf(part.space);
    this.isSpace = memberOf(part.space);
    this.isLetter = memberOf(part.letters);
    this.isUpper = memberOf(part.upper);
    this.isDigit = memberOf(part.digits);
    this.isSign = memberOf(part.signs ?? []);
    const [upper, lower] = part.lower.map((letters) => [...letters]) as [string[], string[]];
    this.lowered = new Map(upper.map((letter, n) => [letter, lower[n]!]));
  }

  /** As `str.lower`. */
  lower(word: string): string {
    const letters = [...word];
    return letters.map((letter, n) => (letter === "\u03a3" ? sigma(letters, n) : this.lowerOf(letter))).join("");
  }

  /** s(pace), d(igit), a(SCII letter), p(unctuation), h(an), l(etter), o(ther), - for none (stela_ud/kinds.py). */
  kindOf(character: string): string {
    if (!character) return "-";
    const point = character.codePointAt(0)!;
    if (this.isSpace(point)) return "s";
    if (this.isDigit(point)) return "d";
    if (/^[A-Za-z]$/.test(character)) return "a";
    if (this.isSign(point)) return "p";
    if (point >= 0x4e00 && point <= 0x9fff) return "h";
    return this.isLetter(point) ? "l" : "o";
  }

  private lowerOf(letter: string): string {
    return letter === "\u0130" ? "i\u0307" : (this.lowered.get(letter) ?? letter);
  }
}

/** Small sigma: its final form behind a cased letter and before none (Unicode 3.13, Final_Sigma). */
function sigma(letters: readonly string[], at: number): string {
  const next = (step: number): boolean => {
    let n = at + step;
    while (n >= 0 && n < letters.length && BETWEEN.test(letters[n]!)) n += step;
    return n >= 0 && n < letters.length && CASED.test(letters[n]!);
  };
  return next(-1) && !next(1) ? "\u03c2" : "\u03c3";
}

function bodyOf(runs: readonly number[]): string {
  let body = "";
  for (let n = 0; n < runs.length; n += 2) body += `\\u{${runs[n]!.toString(16)}}-\\u{${runs[n + 1]!.toString(16)}}`;
  return body;
}

function memberOf(runs: readonly number[]): (point: number) => boolean {
  return (point) => {
    let [low, high] = [0, runs.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[2 * middle + 1]! < point) low = middle + 1;
      else high = middle;
    }
    return 2 * low < runs.length && runs[2 * low]! <= point;
  };
}
