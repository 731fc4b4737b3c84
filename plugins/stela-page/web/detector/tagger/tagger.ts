/** A causal tagger: the last tags of windows, each as by itself (stela_causal/words.py, walk.py). */
import { Pairs } from "../evidence/numbering";
import { Alphabet } from "./alphabet";
import { Exact } from "./exact";
import type { Identity, TaggerFile } from "./file";
import { Network, OUTSIDE } from "./network";
import { reachesOf, type Weights, weightsOf } from "./weights";

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
  /** What says where words begin, and what their labels are: one network, or two. */
  readonly networks: readonly Network[];
  private readonly alphabet: Alphabet;
  private readonly weights: readonly Weights[];
  private readonly reaches: readonly (readonly number[])[];
  private readonly labels: readonly (readonly string[])[];
  private readonly longest: number;
  /** Endings as paths from a word's last character, and characters behind them. */
  private paths = new Pairs();
  private seen = new Pairs();
  /** Of each network: some scores of a character as an item sees it so long after, and all of an item's as Python has them. */
  private known: Map<number, Float64Array>[] = [];
  private exact: Map<number, Float32Array>[] = [];
  /** The text that is worked on, and of each network and level the items that stand in it. */
  private points = new Int32Array(0);
  private items: Int32Array[][] = [];
  /** Where the window begins and ends, and up to where endings cannot reach before it. */
  private start = 0;
  private last = 0;
  private sure = 0;

  constructor(private readonly file: TaggerFile) {
    this.identity = file;
    this.space = file.space.map((point) => `\\u{${point.toString(16)}}`).join("");
    this.alphabet = new Alphabet(file);
    this.weights = weightsOf(file, this.alphabet);
    this.networks = this.weights.map((weights) => new Network(weights, this));
    this.reaches = this.weights.map(reachesOf);
    this.labels = file.labels.map((label) => label.split("+"));
    this.longest = file.lengths[file.lengths.length - 1]!;
    this.forget();
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
    this.items = this.reaches.map((levels) => levels.map(() => new Int32Array(size).fill(UNKNOWN)));
    return (unit) => places[unit]!;
  }

  /** The tags of the last words: see `walked` in walk.py. */
  private lastTags(start: number, end: number, count: number): string[] {
    if (this.networks[0]!.isFull) this.forget();
    const { points, alphabet, file } = this;
    const isSpace = (place: number): boolean => alphabet.isSpace(points[place]!);
    [this.start, this.last] = [start, end - 1];
    this.sure = start === 0 || (!alphabet.grams && isSpace(start - 1)) ? start : start + this.longest - 1;
    const tags: string[] = [];
    for (let [place, words] = [this.last, 0]; place >= start && words < count; place--) {
      if (isSpace(place)) continue;
      words++;
      const stop = place;
      if (file.labels_at || words < count) while (place > start && !isSpace(place - 1) && !this.begins(place)) place--;
      tags.unshift(...this.labels[file.labels_at ? this.label(place, stop) : this.label(stop, stop)]!);
    }
    return tags.slice(-count);
  }

  /** The label of a word, from the scores of some of its characters. */
  private label(from: number, to: number): number {
    const { labels_at } = this.file;
    const [network, { length }] = [this.networks.length - 1, this.labels];
    const before = Number(labels_at === "first");
    const sums = (exactly: boolean): number[] => {
      const total = new Array<number>(length).fill(0);
      for (let place = from; place <= to; place++) {
        // Of a word's first character come before those of any other one; of a network that says both, behind the first score.
        const first = network ? Number(place > from) * length : 1 - before;
        const scores = this.scores(network, place, first, before + length, exactly);
        for (let n = 0; n < length; n++) total[n] = network ? Math.fround(total[n]! + scores[n]!) : scores[before + n]!;
        if (labels_at !== "all") break;
      }
      return total;
    };
    const scores = sums(false);
    const label = best(scores);
    const margin = scores[label]! - Math.max(...scores.map((score, n) => (n === label ? -Infinity : score)));
    // So many sums are rounded, each of so many scores at most.
    const roundings = network ? (to - from + 1) ** 2 : 1;
    if (margin >= this.near * roundings) {
      this.margin?.(margin);
      return label;
    }
    const exact = sums(true);
    this.margin?.(margin, Math.max(...scores.map((score, n) => Math.abs(score - exact[n]!))) / roundings);
    return best(exact);
  }

  /** Whether a word begins at a place. */
  private begins(place: number): boolean {
    const count = this.networks.length > 1 ? 2 : this.file.labels_at ? 1 + this.labels.length : 1;
    const beyond = (exactly: boolean): number => {
      const [first, ...others] = Array.from(this.scores(0, place, 0, count, exactly));
      return count > 1 ? Math.max(...others) - first! : first!;
    };
    const margin = beyond(false);
    this.margin?.(Math.abs(margin));
    return (Math.abs(margin) < this.near ? beyond(true) : margin) > 0;
  }

  /** Some of a network's scores of a character, as the place sees it that judges it; as Python works them out, or quickly. */
  private scores(network: number, place: number, first: number, count: number, exactly: boolean): ArrayLike<number> {
    const { delay } = this.file;
    const { kinds, layers } = this.weights[network]!;
    const at = Math.min(place + delay, this.last);
    const item = this.item(network, layers.length, at);
    const row = (at - place) * kinds + first;
    if (exactly) return this.exactly(network, at, item).subarray(row, row + count);
    const key = item * (delay + 1) * kinds + row;
    let scores = this.known[network]!.get(key);
    if (!scores) {
      scores = Float64Array.from({ length: count }, (_, n) => this.networks[network]!.score(item, row + n));
      this.known[network]!.set(key, scores);
    }
    return scores;
  }

  private exactly(network: number, place: number, item: number): Float32Array {
    let scores = this.exact[network]!.get(item);
    if (!scores) {
      const weights = this.weights[network]!;
      scores = new Exact(weights).scores(place, (there) => {
        if (there < this.start) return undefined;
        const rows = this.rowsAt(there);
        const vector = new Float32Array(weights.given);
        weights.tables.forEach(({ rows: all, width, at: to }, n) => vector.set(all.subarray(rows[n]! * width, (rows[n]! + 1) * width), to));
        return vector;
      });
      this.exact[network]!.set(item, scores);
    }
    return scores;
  }

  /** What stands at a place, behind so many layers. */
  private item(network: number, level: number, place: number): number {
    if (place < this.start) return OUTSIDE;
    const items = this.items[network]![level]!;
    // Not remembered where the window's start shows in it: elsewhere other characters stand before.
    const isSure = place - this.reaches[network]![level]! >= this.sure;
    if (isSure && items[place] !== UNKNOWN) return items[place]!;
    let item: number;
    if (level) {
      const { dilation } = this.weights[network]!.layers[level - 1]!;
      const at = (tap: number): number => this.item(network, level - 1, place - tap * dilation);
      item = this.networks[network]!.item(level - 1, at(2), at(1), at(0));
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
    if (item >= known) for (const network of this.networks) network.add(this.rowsAt(place));
    return item;
  }

  /** Where the ending that stands at a place begins: behind it where it is white space. */
  private firstOf(place: number): number {
    let first = place + 1;
    const { points, alphabet } = this;
    const goesOn = (at: number): boolean => alphabet.grams || !alphabet.isSpace(points[at]!);
    while (first > this.start && place - first + 1 < this.longest && goesOn(first - 1)) first--;
    return first;
  }

  private rowsAt(place: number): number[] {
    const { points, alphabet } = this;
    const ending = Array.from({ length: place - this.firstOf(place) + 1 }, (_, n) => alphabet.folded[points[place - n]!]!);
    return [alphabet.ids[points[place]!]!, ...alphabet.buckets(ending)];
  }

  private forget(): void {
    for (const network of this.networks) network.forget();
    [this.paths, this.seen] = [new Pairs(), new Pairs()];
    [this.known, this.exact] = [this.networks.map(() => new Map()), this.networks.map(() => new Map())];
    for (const levels of this.items) for (const items of levels) items.fill(UNKNOWN);
  }
}

/** Where the largest number stands, the first of equal ones. */
function best(scores: ArrayLike<number>): number {
  let best = 0;
  for (let n = 1; n < scores.length; n++) if (scores[n]! > scores[best]!) best = n;
  return best;
}
