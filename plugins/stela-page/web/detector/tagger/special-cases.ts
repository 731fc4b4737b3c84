/** Special cases among the tokens of a text: spaCy looks for `:)` after it has cut everything else. */
import type { Word } from "./cutter";
import type { RulesPart } from "./file";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The cases, and which tokens any of them may begin with. */
export class SpecialCases {
  private readonly cases: ReadonlyMap<string, readonly (readonly string[])[]>;
  private readonly sought = new Map<string, (readonly string[])[]>();

  constructor(part: Pick<RulesPart, "cases" | "sought">) {
    this.cases = new Map(Object.entries(part.cases));
    for (const tokens of part.sought) {
      const alike = this.sought.get(tokens[0]!) ?? [];
      alike.push(tokens);
      this.sought.set(tokens[0]!, alike);
    }
  }

  has(text: string): boolean {
    return this.cases.has(text);
  }

  /** The words of a case; none follows by a blank. */
  wordsOf(text: string): Word[] {
    return this.cases.get(text)!.map(([word, norm]) => ({ text: word!, norm, blank: false }));
  }

  /** The words with cases among them put in (`_apply_special_cases` of spaCy's tokenizer). */
  applied(words: Word[]): Word[] {
    const spans = this.chosen(this.spansIn(words));
    if (!spans.length) return words;
    const made: Word[] = [];
    let at = 0;
    for (const { start, end } of spans) {
      made.push(...words.slice(at, start));
      const text = words.slice(start, end).map((word, n) => (word.blank && start + n + 1 < end ? `${word.text} ` : word.text)).join("");
      if (this.has(text)) {
        const inside = this.wordsOf(text);
        inside[inside.length - 1]!.blank = words[end - 1]!.blank;
        made.push(...inside);
      } else {
        made.push(...words.slice(start, end));
      }
      at = end;
    }
    return [...made, ...words.slice(at)];
  }

  private spansIn(words: readonly Word[]): Span[] {
    const spans: Span[] = [];
    words.forEach((word, start) => {
      for (const tokens of this.sought.get(word.text) ?? []) {
        if (tokens.every((token, n) => words[start + n]?.text === token)) spans.push({ start, end: start + tokens.length });
      }
    });
    return spans;
  }

  /** The longest first, then the first; a span is left out where its first or its last word is in one before. */
  private chosen(spans: Span[]): Span[] {
    if (spans.length < 2) return spans;
    const seen = new Set<number>();
    const kept: Span[] = [];
    for (const span of spans.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)) {
      if (!seen.has(span.start) && !seen.has(span.end - 1)) kept.push(span);
      for (let n = span.start; n < span.end; n++) seen.add(n);
    }
    return kept.sort((a, b) => a.start - b.start);
  }
}
