/** Chinese words from raw text: a network says how characters stand at the edges of words (stela_ud/segmenter.py). */
import type { Characters } from "./characters";
import { type Cutter, piecesOf, type Word } from "./cutter";
import type { NetworkPart } from "./file";
import { hashOfString } from "./hashes";
import { Network, OUTSIDE } from "./network";

/** Characters on each side that decide an edge: two by convolution, one more by pairs of characters. */
const NEAR = 3;
const REACH = 2;
const PLACES = 4;
const KEPT = 65_536;
/** Characters at the end of a text in which the last words begin, most often. */
const LOOKED_AT = 10;
/** Edges that are worked out together: what they need is below what a network remembers. */
const TOGETHER = 256;
/** Stands for what lies outside the text: no text holds it. */
const OUT = "\ud800";

/** How well a character stands at the edges of a word: best scores over places and tags. */
interface Edge {
  readonly ends: number;
  readonly begins: number;
  /** To the next character. */
  readonly goesOn: number;
  /** From the one before. */
  readonly continues: number;
}

/** A character of a text. */
interface Place {
  readonly points: readonly string[];
  readonly at: number;
}

/** Cuts words off the end of a text, each boundary from the four characters on either side of it alone. */
export class Segmenter implements Cutter {
  /** Is told how far from a tie a boundary was, in tests. */
  margin: ((margin: number) => void) | undefined;
  private readonly network: Network;
  private readonly edges = new Map<string, Edge>();
  /** Boundaries by the characters that decide them. */
  private readonly known = new Map<string, boolean>();
  private readonly tokenOf = new Map<string, number>();

  constructor(
    part: NetworkPart,
    private readonly longest: number,
    numbers: Float32Array,
    private readonly characters: Characters,
  ) {
    this.network = new Network(part, numbers);
  }

  pieces(text: string): string[] {
    return piecesOf(text, this.longest, this.characters.space);
  }

  /** The edges that boundaries near the ends of texts turn on. */
  prepare(texts: readonly string[]): void {
    const missing = new Map<string, Place>();
    for (const text of texts) {
      const points = [...text];
      const around = aroundOf(text, points);
      for (let at = points.length - 1; at > Math.max(0, points.length - LOOKED_AT); at--) {
        if (this.known.has(around(at)) || this.byKind(points, at) !== undefined) continue;
        for (const place of [at - 1, at]) {
          const key = edgeKey(points, place);
          if (!this.edges.has(key)) missing.set(key, { points, at: place });
        }
      }
    }
    const all = [...missing];
    for (let from = 0; from < all.length; from += TOGETHER) this.makeEdges(all.slice(from, from + TOGETHER));
  }

  private makeEdges(missing: readonly (readonly [string, Place])[]): void {
    this.makeRoom(missing.length * (2 * REACH + 1));
    const named = new Map<string, readonly string[]>();
    for (const [, { points, at }] of missing) {
      for (let n = at - REACH; n <= at + REACH; n++) {
        const key = tokenKey(points, n);
        if (points[n] !== undefined && !this.tokenOf.has(key)) named.set(key, this.namesOf(points, n));
      }
    }
    const tokens = this.network.embedAll([...named.values()], hashOfString);
    [...named.keys()].forEach((key, n) => this.tokenOf.set(key, tokens[n]!));
    this.network.prepare(missing.map(([, { points, at }]) => this.around(points, at)));
    for (const [key, { points, at }] of missing) this.edges.set(key, this.edgeAt(points, at));
  }

  /** The last words, so many that `count` are not white space and `before` more stand before these; or all. */
  lastWords(text: string, count: number, before: number): Word[] {
    const points = [...text];
    const around = aroundOf(text, points);
    const words: string[] = [];
    let [end, missing, more] = [points.length, count, before];
    for (let at = end - 1; at > 0; at--) {
      const near = around(at);
      let parts = this.known.get(near);
      if (parts === undefined) {
        if (this.known.size >= KEPT) this.known.clear();
        this.known.set(near, (parts = this.parts(points, at)));
      }
      if (!parts) continue;
      const word = points.slice(points[at] === " " ? at + 1 : at, end).join("");
      end = at;
      if (!word) continue;
      words.push(word);
      if (missing) missing -= this.isSpace(word) ? 0 : 1;
      else more--;
      if (!missing && more <= 0) return plain(words);
    }
    if (end) words.push(points.slice(0, end).join(""));
    return plain(words);
  }

  /** Whether a word is white space. */
  isSpace(word: string): boolean {
    return [...word].every((character) => this.characters.isSpace(character.codePointAt(0)!));
  }

  /** Whether a word begins at a place behind the first character. */
  private parts(points: readonly string[], at: number): boolean {
    const sure = this.byKind(points, at);
    if (sure !== undefined) return sure;
    const [one, two] = [this.edge(points, at - 1), this.edge(points, at)];
    const margin = one.ends + two.begins - (one.goesOn + two.continues);
    this.margin?.(Math.abs(margin));
    return margin > 0;
  }

  /** Whether a word begins there, where the kinds of the two characters tell. */
  private byKind(points: readonly string[], at: number): boolean | undefined {
    const [left, right] = [points[at - 1]!, points[at]!];
    const [before, behind] = [this.isSpace(left), this.isSpace(right)];
    if (before || behind) return before !== behind;
    if (/[A-Za-z]/.test(left) && /[A-Za-z]/.test(right)) return false;
    if (/[0-9]/.test(left) && /[0-9]/.test(right)) return false;
    return undefined;
  }

  private edge(points: readonly string[], at: number): Edge {
    const key = edgeKey(points, at);
    let edge = this.edges.get(key);
    if (edge) return edge;
    if (this.edges.size >= KEPT) this.edges.clear();
    this.makeRoom(2 * REACH + 1);
    edge = this.edgeAt(points, at);
    this.edges.set(key, edge);
    return edge;
  }

  private edgeAt(points: readonly string[], at: number): Edge {
    const [b, m, e, s] = bestOfEach(this.network.scores(this.around(points, at))) as [number, number, number, number];
    return { ends: Math.max(e, s), begins: Math.max(b, s), goesOn: Math.max(b, m), continues: Math.max(m, e) };
  }

  private makeRoom(more: number): void {
    if (!this.network.isFull(more)) return;
    this.network.forget();
    this.tokenOf.clear();
  }

  private around(points: readonly string[], at: number): number[] {
    return Array.from({ length: 2 * REACH + 1 }, (_, n) => this.token(points, at - REACH + n));
  }

  private token(points: readonly string[], at: number): number {
    if (points[at] === undefined) return OUTSIDE;
    const key = tokenKey(points, at);
    let token = this.tokenOf.get(key);
    if (token === undefined) this.tokenOf.set(key, (token = this.network.embed(this.namesOf(points, at), hashOfString)));
    return token;
  }

  private namesOf(points: readonly string[], at: number): string[] {
    const [before, character, after] = [points[at - 1] ?? "", points[at]!, points[at + 1] ?? ""];
    const kinds = [before, character, after].map((one) => this.characters.kindOf(one)).join("");
    return [character, `${before}<${character}`, `${character}>${after}`, kinds];
  }
}

/** The characters that decide an edge. */
function edgeKey(points: readonly string[], at: number): string {
  let key = "";
  for (let n = at - NEAR; n <= at + NEAR; n++) key += points[n] ?? OUT;
  return key;
}

/** The characters that a token is of. */
function tokenKey(points: readonly string[], at: number): string {
  return `${points[at - 1] ?? OUT}${points[at]}${points[at + 1] ?? OUT}`;
}

/** The four characters on either side of a place. */
function aroundOf(text: string, points: readonly string[]): (at: number) => string {
  const out = OUT.repeat(NEAR + 1);
  if (points.length === text.length) {
    const padded = out + text + out;
    return (at) => padded.slice(at, at + 2 * (NEAR + 1));
  }
  const padded = [...out, ...points, ...out];
  return (at) => padded.slice(at, at + 2 * (NEAR + 1)).join("");
}

/** The best score of each place in a word; the labels of a place stand together. */
function bestOfEach(scores: Float64Array): number[] {
  const tags = scores.length / PLACES;
  const best = new Array<number>(PLACES).fill(-Infinity);
  for (let n = 0; n < scores.length; n++) {
    const place = Math.floor(n / tags);
    if (scores[n]! > best[place]!) best[place] = scores[n]!;
  }
  return best;
}

function plain(words: readonly string[]): Word[] {
  return words.map((text) => ({ text, norm: undefined, blank: false })).reverse();
}
