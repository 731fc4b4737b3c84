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
const LOOKED_AT = 6;
/** Edges that are worked out together: what they need is below what a network remembers. */
const TOGETHER = 256;
/** Stands for what lies outside the text: no text holds it. */
const OUT = "\ud800";
/** So many of it on either side. */
const OUTER = NEAR + 1;

/** How well a character stands at the edges of a word: best scores over places and tags. */
interface Edge {
  readonly ends: number;
  readonly begins: number;
  /** To the next character. */
  readonly goesOn: number;
  /** From the one before. */
  readonly continues: number;
}

/** A text in characters, and the stretches of it that decide something about a place. */
interface Characterwise {
  readonly points: readonly string[];
  /** What decides whether a word begins there. */
  readonly near: (at: number) => string;
  /** What decides how the character stands at the edges of a word. */
  readonly edge: (at: number) => string;
  /** What a token of the network is made of. */
  readonly token: (at: number) => string;
}

/** A character of a text. */
interface Place {
  readonly text: Characterwise;
  readonly at: number;
}

type Kind = "space" | "letter" | "digit" | "other";

/** Cuts words off the end of a text, each boundary from the four characters on either side of it alone. */
export class Segmenter implements Cutter {
  /** Is told how far from a tie a boundary was, in tests. */
  margin: ((margin: number) => void) | undefined;
  private readonly network: Network;
  private readonly edges = new Map<string, Edge>();
  /** Boundaries by the characters that decide them. */
  private readonly known = new Map<string, boolean>();
  private readonly tokenOf = new Map<string, number>();
  private readonly kinds = new Map<string, Kind>();
  /** The texts that were prepared last. */
  private readonly prepared = new Map<string, Characterwise>();

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
    this.prepared.clear();
    for (const text of texts) {
      const place = charactersOf(text);
      this.prepared.set(text, place);
      const { length } = place.points;
      for (let at = length - 1; at > Math.max(0, length - LOOKED_AT); at--) {
        if (this.known.has(place.near(at)) || this.byKind(place.points, at) !== undefined) continue;
        this.miss(missing, place, at - 1);
        this.miss(missing, place, at);
      }
    }
    const all = [...missing];
    for (let from = 0; from < all.length; from += TOGETHER) this.makeEdges(all.slice(from, from + TOGETHER));
  }

  private miss(missing: Map<string, Place>, text: Characterwise, at: number): void {
    const key = text.edge(at);
    if (!this.edges.has(key)) missing.set(key, { text, at });
  }

  private makeEdges(missing: readonly (readonly [string, Place])[]): void {
    this.makeRoom(missing.length * (2 * REACH + 1));
    const named = new Map<string, readonly string[]>();
    for (const [, { text, at }] of missing) {
      for (let n = Math.max(0, at - REACH); n <= Math.min(at + REACH, text.points.length - 1); n++) {
        const key = text.token(n);
        if (!this.tokenOf.has(key) && !named.has(key)) named.set(key, this.namesOf(text.points, n));
      }
    }
    const tokens = this.network.embedAll([...named.values()], hashOfString);
    [...named.keys()].forEach((key, n) => this.tokenOf.set(key, tokens[n]!));
    this.network.prepare(missing.map(([, { text, at }]) => this.around(text, at)));
    for (const [key, { text, at }] of missing) this.edges.set(key, this.edgeAt(text, at));
  }

  /** The last words, so many that `count` are not white space and `before` more stand before these; or all. */
  lastWords(text: string, count: number, before: number): Word[] {
    const given = this.prepared.get(text) ?? charactersOf(text);
    const { points } = given;
    const words: string[] = [];
    let [end, missing, more] = [points.length, count, before];
    for (let at = end - 1; at > 0; at--) {
      const near = given.near(at);
      let parts = this.known.get(near);
      if (parts === undefined) {
        if (this.known.size >= KEPT) this.known.clear();
        this.known.set(near, (parts = this.parts(given, at)));
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
    for (const character of word) if (!this.characters.isSpace(character.codePointAt(0)!)) return false;
    return true;
  }

  /** Whether a word begins at a place behind the first character. */
  private parts(text: Characterwise, at: number): boolean {
    const sure = this.byKind(text.points, at);
    if (sure !== undefined) return sure;
    const [one, two] = [this.edge(text, at - 1), this.edge(text, at)];
    const margin = one.ends + two.begins - (one.goesOn + two.continues);
    this.margin?.(Math.abs(margin));
    return margin > 0;
  }

  /** Whether a word begins there, where the kinds of the two characters tell. */
  private byKind(points: readonly string[], at: number): boolean | undefined {
    const left = this.kindOf(points[at - 1]!);
    const right = this.kindOf(points[at]!);
    if (left === "space" || right === "space") return left !== right;
    return left === right && left !== "other" ? false : undefined;
  }

  private kindOf(character: string): Kind {
    let kind = this.kinds.get(character);
    if (kind !== undefined) return kind;
    if (this.kinds.size >= KEPT) this.kinds.clear();
    if (this.isSpace(character)) kind = "space";
    else kind = /^[A-Za-z]$/.test(character) ? "letter" : /^[0-9]$/.test(character) ? "digit" : "other";
    this.kinds.set(character, kind);
    return kind;
  }

  private edge(text: Characterwise, at: number): Edge {
    const key = text.edge(at);
    let edge = this.edges.get(key);
    if (edge) return edge;
    if (this.edges.size >= KEPT) this.edges.clear();
    this.makeRoom(2 * REACH + 1);
    edge = this.edgeAt(text, at);
    this.edges.set(key, edge);
    return edge;
  }

  private edgeAt(text: Characterwise, at: number): Edge {
    const [b, m, e, s] = bestOfEach(this.network.scores(this.around(text, at))) as [number, number, number, number];
    return { ends: Math.max(e, s), begins: Math.max(b, s), goesOn: Math.max(b, m), continues: Math.max(m, e) };
  }

  private makeRoom(more: number): void {
    if (!this.network.isFull(more)) return;
    this.network.forget();
    this.tokenOf.clear();
  }

  private around(text: Characterwise, at: number): number[] {
    const tokens: number[] = [];
    for (let n = at - REACH; n <= at + REACH; n++) tokens.push(this.token(text, n));
    return tokens;
  }

  private token(text: Characterwise, at: number): number {
    if (at < 0 || at >= text.points.length) return OUTSIDE;
    const key = text.token(at);
    let token = this.tokenOf.get(key);
    if (token === undefined) this.tokenOf.set(key, (token = this.network.embed(this.namesOf(text.points, at), hashOfString)));
    return token;
  }

  private namesOf(points: readonly string[], at: number): string[] {
    const [before, character, after] = [points[at - 1] ?? "", points[at]!, points[at + 1] ?? ""];
    const kinds = [before, character, after].map((one) => this.characters.kindOf(one)).join("");
    return [character, `${before}<${character}`, `${character}>${after}`, kinds];
  }
}

function charactersOf(text: string): Characterwise {
  const points = [...text];
  const out = OUT.repeat(OUTER);
  let between: (from: number, to: number) => string;
  if (points.length === text.length) {
    const padded = out + text + out;
    between = (from, to) => padded.slice(OUTER + from, OUTER + to);
  } else {
    const padded = [...out, ...points, ...out];
    between = (from, to) => padded.slice(OUTER + from, OUTER + to).join("");
  }
  return {
    points,
    near: (at) => between(at - NEAR - 1, at + NEAR + 1),
    edge: (at) => between(at - NEAR, at + NEAR + 1),
    token: (at) => between(at - 1, at + 2),
  };
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
