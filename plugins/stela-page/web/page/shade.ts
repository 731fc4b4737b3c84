/** The text as the detector saw it: tokens shaded by side and weight, passages outlined.
 *
 * Colour is never alone: favoured tokens have a solid line below, thicker with more weight, the others dots.
 */

import type { Passage } from "../detector/types";
import { element } from "./elements";
import { filled } from "./filled";
import { largestWeight, type Piece, type Tokens } from "./tokens";
import type { Words } from "./words";

export const MOST = 4000;
/** Tokens that are added at once: a page of a whole book would stop the browser. */

const STRETCH = 400;
/** Tokens of a block that a browser lays out only where it is seen; it goes on to the end of a line. */

const STEPS = 4;
/** Shades. */

/** A text that is shown some tokens at a time. */
export class Shading {
  /** Tokens that are shown, and the place in the text up to which they go. */
  #shown = 0;
  #at = 0;
  readonly #top: number;
  readonly #number: Intl.NumberFormat;
  readonly #passages: readonly Passage[];

  /** @param everywhere whether tokens outside of passages are shaded, too. */
  constructor(
    private readonly text: string,
    private readonly tokens: Tokens,
    passages: readonly Passage[],
    private readonly everywhere: boolean,
    private readonly words: Words,
  ) {
    this.#passages = [...passages].sort((a, b) => a.start - b.start);
    this.#top = largestWeight(tokens) || 1;
    this.#number = new Intl.NumberFormat(words.tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }

  /** Tokens that are not shown yet. */
  get left(): number {
    return this.tokens.length - this.#shown;
  }

  /** Blocks of the next tokens. */
  next(): Node[] {
    const last = Math.min(this.tokens.length, this.#shown + MOST);
    const blocks: Node[] = [];
    do {
      blocks.push(element("div", { class: "stretch" }, ...this.#stretch(this.#lineEnd(last))));
    } while (this.#shown < last);
    return blocks;
  }

  /** Behind the first token from some on that ends a line; `last` where none does. */
  #lineEnd(last: number): number {
    for (let n = this.#shown + STRETCH; n < last; n += 1) {
      if (this.text[(this.tokens.at(n - 1)?.end ?? 0) - 1] === "\n") return n;
    }
    return last;
  }

  #stretch(last: number): Node[] {
    const end = last === this.tokens.length ? this.text.length : (this.tokens.at(last - 1)?.end ?? this.#at);
    const nodes: Node[] = [];
    for (const { start, end: stop } of this.#passages) {
      const [from, to] = [Math.min(Math.max(start, this.#at), end), Math.min(stop, end)];
      if (to <= from) continue;
      this.#pieces(nodes, from, last, this.everywhere);
      const inside: Node[] = [];
      this.#pieces(inside, to, last, true);
      nodes.push(element("span", { class: "passage", title: this.words.legendPassage }, ...inside));
    }
    this.#pieces(nodes, end, last, this.everywhere);
    this.#shown = last;
    return nodes;
  }

  /** Adds the text up to `end`; tokens before the last one that begin in it are pieces of their own where `shade` is. */
  #pieces(nodes: Node[], end: number, last: number, shade: boolean): void {
    const { text } = this;
    let plain = this.#at; // from here on, text that is not shown yet
    for (; this.#shown < last; this.#shown += 1) {
      const token = this.tokens.at(this.#shown) as Piece;
      if (token.start >= end) break;
      // A character of several tokens is the first one's.
      const [from, to] = [Math.max(token.start, this.#at), Math.min(token.end, end)];
      if (to <= from) continue;
      this.#at = to;
      if (!shade) continue;
      if (from > plain) nodes.push(document.createTextNode(text.slice(plain, from)));
      nodes.push(pieceOf(text.slice(from, to), token, this.#top, this.words, this.#number));
      plain = to;
    }
    if (end > plain) nodes.push(document.createTextNode(text.slice(plain, end)));
    this.#at = Math.max(this.#at, end);
  }
}

function pieceOf(text: string, token: Piece, top: number, words: Words, written: Intl.NumberFormat): Node {
  const kind = classOf(token, top);
  if (kind === null) return element("span", { class: "uncounted" }, text);
  const said = [
    ...(token.green === null ? [] : [token.green ? words.green : words.red]),
    ...(token.weight === null ? [] : [filled(words.weight, { weight: written.format(token.weight) })]),
    ...(token.score === null || token.green !== null ? [] : [filled(words.score, { score: written.format(token.score) })]),
  ];
  return element("span", { class: kind, title: said.join(", ") }, text);
}

/** The class of a token, or null where it was not counted. */
export function classOf(token: Piece, top: number): string | null {
  if (token.weight === null || (token.green === null && token.score === null)) return null;
  // Marks that are not green lists: the score says how strongly the token speaks for the mark, 0 to 1.
  const share = token.weight / top;
  const strength = token.green === null ? (token.score ?? 0) * share : share;
  const green = token.green ?? (token.score ?? 0) > 0.5;
  if (!green) return "red";
  return `green green-${Math.min(STEPS, Math.max(1, Math.ceil(strength * STEPS)))}`;
}
