/** What the network sees of a word: numbers of parts of it (stela_spacy/word_parts.py). */
import type { Characters } from "./characters";
import type { Feature, FeaturesPart } from "./file";
import { hashOfString } from "./hashes";

/** Characters of a word from which on its shape is one word. */
const LONG = 100;
/** How often one sign of a shape is repeated at most. */
const ALIKE = 4;

/** Parts of words, a part for each column, and their numbers. */
export class Features {
  private readonly norms: ReadonlyMap<string, string>;
  private readonly symbols: ReadonlyMap<string, number>;

  constructor(
    private readonly part: FeaturesPart,
    private readonly characters: Characters,
  ) {
    this.norms = new Map(Object.entries(part.norms));
    this.symbols = new Map(Object.entries(part.symbols));
  }

  /** The parts of a word, one for each column; `norm` is what a special case says of it. */
  of(word: string, norm: string | undefined): string[] {
    return this.part.columns.map((feature, column) =>
      column === this.part.norm_column && norm ? norm : this.partOf(word, feature),
    );
  }

  /** The number of a part. */
  numberOf(text: string): bigint {
    if (text === "") return 0n;
    const symbol = this.symbols.get(text);
    return symbol === undefined ? hashOfString(text) : BigInt(symbol);
  }

  private partOf(word: string, [part, count]: Feature): string {
    const points = [...word];
    if (part === "first") return points.slice(0, count).join("");
    if (part === "last") return points.slice(-count).join("");
    if (part === "all-but-last") return points.slice(0, -count).join("") || word;
    if (part === "norm") return this.norms.get(word) ?? this.characters.lower(word);
    if (part === "lower") return this.characters.lower(word);
    if (part === "length-and-kinds") {
      const kinds = [points[0], points[points.length - 1]].map((character) => this.characters.kindOf(character ?? ""));
      return `${Math.min(points.length, count)}${kinds.join("")}`;
    }
    return this.shapeOf(points);
  }

  /** As spaCy's `word_shape`. */
  private shapeOf(points: readonly string[]): string {
    if (points.length >= LONG) return "LONG";
    const { isLetter, isUpper, isDigit } = this.characters;
    let [shape, last, alike] = ["", "", 0];
    for (const character of points) {
      const point = character.codePointAt(0)!;
      const sign = isLetter(point) ? (isUpper(point) ? "X" : "x") : isDigit(point) ? "d" : character;
      alike = sign === last ? alike + 1 : 0;
      last = sign;
      if (alike < ALIKE) shape += sign;
    }
    return shape;
  }
}
