/** A causal tagger: the last tags of windows, each as by itself (stela_causal/words.py, walk.py). */
import { Pairs } from "../evidence/numbering";
import { Alphabet } from "./alphabet";
import { Exact } from "./exact";
import type { Identity, TaggerFile } from "./file";
import { Network, OUTSIDE } from "./network";
import { reachesOf, Weights } from "./weights";

/** A score that is so near to a tie is worked out as Python works it out. */
export const NEAR = 2e-4;
const UNKNOWN = -2;

/** Tags windows. */
export class Tagger {
  readonly identity: Identity;
  /** The body of a class of white space for regular expressions with the flag u. */
  readonly space: string;
  /** Margin below which a decision is worked out to the bit. */
  near = NEAR;
  /** Is told how far from a tie decisions were, and by how much a score that was worked out both ways differs, in tests. */
  margin: ((margin: number, apart?: number) => void) | undefined;
  readonly network: Network;
  private readonly alphabet: Alphabet;
  private readonly weights: Weights;
  private readonly exact: Exact;
  private readonly reaches: readonly number[];
  private readonly longest: number;
  /** Endings as paths from a word's last character, and characters behind them. */
  private paths = new Pairs();
  private seen = new Pairs();
  private readonly labelOf = new Map<number, number>();
  private readonly beginsOf = new Map<number, boolean>();
  /** The text that is worked on, and of each level the items that stand in it. */
  private points = new Int32Array(0);
  private items: Int32Array[] = [];
  /** Where the window begins, and up to where endings cannot reach before it. */
  private start = 0;
  private sure = 0;

  constructor(file: TaggerFile) {
    this.identity = file;
    this.space = file.space.map((point) => `\\u{${point.toString(16)}}`).join("");
    this.alphabet = new Alphabet(file);
    this.weights = new Weights(file);
    this.network = new Network(this.weights);
    this.exact = new Exact(this.weights);
    this.reaches = reachesOf(file);
    this.longest = file.lengths[file.lengths.length - 1]!;
  }

  /** The last `count` tags of windows of a text, in UTF-16 units; fewer where there are fewer. */
  lastTagsOf(text: string, starts: readonly number[], ends: readonly number[], count: number): string[][] {
    if (!starts.length) return [];
    const first = starts.reduce((a, b) => Math.min(a, b));
    const last = ends.reduce((a, b) => Math.max(a, b));
    const place = this.layOut(text.slice(first, last));
    return starts.map((start, n) => this.lastTags(place(start - first), place(ends[n]! - first), count));
  }

  /** The code points of a text, and where its UTF-16 units lie in them. */
  private layOut(text: string): (unit: number) => number {
    const points = new Int32Array(text.length);
    const places = new Int32Array(text.length + 1);
    let size = 0;
    for (let unit = 0; unit < text.length; size++) {
      const point = text.codePointAt(unit)!;
      points[size] = point;
      places[unit] = size;
      unit += point > 0xffff ? 2 : 1;
    }
    places[text.length] = size;
    this.points = points.subarray(0, size);
    this.items = this.reaches.map(() => new Int32Array(size).fill(UNKNOWN));
    return (unit) => places[unit]!;
  }

  /** The tags of the last words: see `walked` in walk.py. */
  private lastTags(start: number, end: number, count: number): string[] {
    if (this.network.isFull) this.forget();
    const { points, alphabet, weights } = this;
    const isSpace = (place: number): boolean => alphabet.isSpace(points[place]!);
    this.start = start;
    this.sure = start === 0 || isSpace(start - 1) ? start : start + this.longest - 1;
    const last = end - 1;
    const tags: string[] = [];
    for (let [place, words] = [last, 0]; place >= start && words < count; place--) {
      if (isSpace(place)) continue;
      const label = this.label(Math.min(place + weights.delay, last), place);
      words++;
      tags.unshift(...weights.labels[label]!);
      if (words === count) break;
      while (place > start && !isSpace(place - 1) && !this.begins(Math.min(place + weights.delay, last), place)) place--;
    }
    return tags.slice(-count);
  }

  /** The label of a word that ends at a place, as another one sees it. */
  private label(at: number, place: number): number {
    const { weights, network } = this;
    const item = this.item(this.items.length - 1, at);
    const first = (at - place) * weights.kinds + 1;
    const key = item * (weights.delay + 1) + at - place;
    let label = this.labelOf.get(key);
    if (label !== undefined) return label;
    const scores = Array.from({ length: weights.kinds - 1 }, (_, n) => network.score(item, first + n));
    label = best(scores);
    const margin = scores[label]! - Math.max(...scores.map((score, n) => (n === label ? -Infinity : score)));
    if (margin < this.near) {
      const exact = this.exactly(at).subarray(first, first + weights.kinds - 1);
      this.margin?.(margin, Math.max(...scores.map((score, n) => Math.abs(score - exact[n]!))));
      label = best(exact);
    } else {
      this.margin?.(margin);
    }
    this.labelOf.set(key, label);
    return label;
  }

  /** Whether a word begins at a place, as another one sees it. */
  private begins(at: number, place: number): boolean {
    const { weights, network } = this;
    const item = this.item(this.items.length - 1, at);
    const key = item * (weights.delay + 1) + at - place;
    let begins = this.beginsOf.get(key);
    if (begins !== undefined) return begins;
    const row = (at - place) * weights.kinds;
    const score = network.score(item, row);
    this.margin?.(Math.abs(score));
    begins = (Math.abs(score) < this.near ? this.exactly(at)[row]! : score) > 0;
    this.beginsOf.set(key, begins);
    return begins;
  }

  /** What stands at a place, behind so many layers. */
  private item(level: number, place: number): number {
    if (place < this.start) return OUTSIDE;
    const items = this.items[level]!;
    // Not remembered where the window's start shows in it: elsewhere other characters stand before.
    const isSure = place - this.reaches[level]! >= this.sure;
    if (isSure && items[place] !== UNKNOWN) return items[place]!;
    let item: number;
    if (level) {
      const { dilation } = this.weights.layers[level - 1]!;
      const [a, b, c] = [this.item(level - 1, place - 2 * dilation), this.item(level - 1, place - dilation), this.item(level - 1, place)];
      item = this.network.item(level - 1, a, b, c);
    } else {
      item = this.given(place);
    }
    if (isSure) items[place] = item;
    return item;
  }

  private given(place: number): number {
    const { points, alphabet } = this;
    const known = this.seen.size;
    let path = 0;
    const first = this.firstOf(place);
    for (let n = place; n >= first; n--) path = 1 + this.paths.of(path, alphabet.folded[points[n]!]!);
    // That an ending is a whole word is part of it.
    if (place - first + 1 < this.longest) path = 1 + this.paths.of(path, UNKNOWN);
    const item = this.seen.of(path, alphabet.ids[points[place]!]!);
    return item < known ? item : this.network.add(this.rowsAt(place));
  }

  /** Where the ending that stands at a place begins: behind it where it is white space. */
  private firstOf(place: number): number {
    let first = place + 1;
    while (first > this.start && place - first + 1 < this.longest && !this.alphabet.isSpace(this.points[first - 1]!)) first--;
    return first;
  }

  private rowsAt(place: number): number[] {
    const { points, alphabet } = this;
    const ending = Array.from({ length: place - this.firstOf(place) + 1 }, (_, n) => alphabet.folded[points[place - n]!]!);
    return [alphabet.ids[points[place]!]!, ...alphabet.buckets(ending)];
  }

  private exactly(place: number): Float32Array {
    return this.exact.scores(place, (at) => {
      if (at < this.start) return undefined;
      const rows = this.rowsAt(at);
      const vector = new Float32Array(this.weights.given);
      this.weights.tables.forEach(({ rows: all, width, at: to }, n) => vector.set(all.subarray(rows[n]! * width, (rows[n]! + 1) * width), to));
      return vector;
    });
  }

  private forget(): void {
    this.network.forget();
    [this.paths, this.seen] = [new Pairs(), new Pairs()];
    this.labelOf.clear();
    this.beginsOf.clear();
    for (const items of this.items) items.fill(UNKNOWN);
  }
}

/** Where the largest number stands, the first of equal ones. */
function best(scores: ArrayLike<number>): number {
  let best = 0;
  for (let n = 1; n < scores.length; n++) if (scores[n]! > scores[best]!) best = n;
  return best;
}
