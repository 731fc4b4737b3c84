/** A text cut into words by spaCy's rules (spacy/tokenizer.pyx), those of a language read from a tagger's file. */
import type { Characters } from "./characters";
import { type Cutter, piecesOf, type Word } from "./cutter";
import type { RulesPart } from "./file";
import { SpecialCases } from "./special-cases";

const KEPT = 65_536;

/** Cuts texts; what a run of characters is cut into is the same in every text, and kept. */
export class Rules implements Cutter {
  private readonly cases: SpecialCases;
  private readonly prefix: RegExp;
  private readonly suffix: RegExp;
  private readonly infix: RegExp;
  private readonly url: RegExp;
  private readonly runs: RegExp;
  private readonly kept = new Map<string, readonly Word[]>();

  constructor(
    private readonly part: RulesPart,
    private readonly characters: Characters,
  ) {
    this.cases = new SpecialCases(part);
    this.prefix = new RegExp(part.prefix, "u");
    this.suffix = new RegExp(part.suffix, "u");
    this.infix = new RegExp(part.infix, "gu");
    this.url = new RegExp(part.url, "u");
    const { space } = characters;
    this.runs = new RegExp(`[${space}]+|[^${space}]+`, "gu");
  }

  prepare(): void {
    // Rules are quick.
  }

  pieces(text: string): string[] {
    return piecesOf(text, this.part.longest, this.characters.space);
  }

  /** All words: special cases are looked for among all of them. */
  lastWords(text: string): Word[] {
    return this.words(text);
  }

  /** The words of a text; white space beyond one blank is a word. */
  words(text: string): Word[] {
    const words: Word[] = [];
    for (const [run] of text.matchAll(this.runs)) {
      let piece = run;
      if (words.length && run.startsWith(" ")) {
        words[words.length - 1]!.blank = true;
        piece = run.slice(1);
      }
      // Copies, as a blank may follow one of them.
      if (piece) for (const word of this.cut(piece)) words.push({ ...word });
    }
    return this.cases.applied(words);
  }

  /** Whether a word is white space. */
  isSpace(word: string): boolean {
    for (const character of word) if (!this.characters.isSpace(character.codePointAt(0)!)) return false;
    return word !== "";
  }

  private cut(run: string): readonly Word[] {
    let words = this.kept.get(run);
    if (!words) {
      if (this.kept.size >= KEPT) this.kept.clear();
      words = this.cases.has(run) ? this.cases.wordsOf(run) : this.affixed(run);
      this.kept.set(run, words);
    }
    return words;
  }

  /** What stands before and behind a word is cut off until nothing is, or a special case is left. */
  private affixed(run: string): Word[] {
    const [before, behind]: [string[], string[]] = [[], []];
    let text = run;
    let last = -1;
    while (text && text.length !== last && !this.cases.has(text)) {
      last = text.length;
      const first = this.prefix.exec(text)?.[0].length ?? 0;
      const withoutFirst = text.slice(first);
      if (first && withoutFirst && this.cases.has(withoutFirst)) {
        before.push(text.slice(0, first));
        text = withoutFirst;
        break;
      }
      const end = this.suffix.exec(withoutFirst)?.[0].length ?? 0;
      const withoutEnd = text.slice(0, text.length - end);
      if (end && withoutEnd && this.cases.has(withoutEnd)) {
        behind.push(text.slice(text.length - end));
        text = withoutEnd;
        break;
      }
      if (first) before.push(text.slice(0, first));
      if (end) behind.push(text.slice(text.length - end));
      text = text.slice(first, text.length - end);
    }
    const plain = (word: string): Word => ({ text: word, norm: undefined, blank: false });
    return [...before.map(plain), ...this.inside(text, plain), ...behind.reverse().map(plain)];
  }

  private inside(text: string, plain: (word: string) => Word): Word[] {
    if (!text) return [];
    if (this.cases.has(text)) return this.cases.wordsOf(text);
    if (this.url.test(text)) return [plain(text)];
    const words: string[] = [];
    let start = 0;
    for (const match of text.matchAll(this.infix)) {
      if (match.index === 0) continue;
      if (match.index !== start) words.push(text.slice(start, match.index));
      if (match[0]) words.push(match[0]);
      start = match.index + match[0].length;
    }
    if (start < text.length) words.push(text.slice(start));
    return words.map(plain);
  }
}
