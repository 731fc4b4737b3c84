/** The network of the small taggers (stela_spacy/network.py): an embedding, two convolutions over one neighbour, an output. */
import { UnsupportedProfile } from "../types";
import { Arena, LONGEST, offset } from "./arena";
import { Batch } from "./batch";
import type { NetworkPart } from "./file";
import { rowsOf } from "./hashes";
import { addTo, blocksOf, finishMaxout, type Maxout, multiply, Parts, PIECES, productsOf, ROWS } from "./layers";

/** Tokens, and places between tokens, that are remembered: their numbers in threes stay below 2**53. */
const MOST_TOKENS = 8_192;
const MOST_PLACES = 16_384;
const BASE = 131_072;

/** Where no token is: rows of zeros before the first convolution. */
export const OUTSIDE = 0;

/** Rows for a feature of words, and the products that its values had so far with the layer that mixes features. */
interface Table {
  readonly numbers: Float32Array;
  readonly rows: number;
  readonly column: number;
  readonly seed: number;
  readonly known: Map<string, number>;
}

/** Numbers of best labels; equal tokens around a token give it an equal label, worked out once. */
export class Network {
  readonly labels: readonly string[];
  /** How many numbers it has. */
  readonly size: number;
  private readonly tables: Table[];
  private readonly mixed: Maxout;
  private readonly second: Maxout;
  private readonly first: Maxout;
  private readonly weights: Float64Array;
  private readonly bias: Float64Array;
  private readonly width: number;
  private readonly arena = new Arena();
  private readonly tokens: Parts;
  private readonly places: Parts;
  private readonly placeOf = new Map<number, number>();
  private readonly bestOf = new Map<number, number>();
  /** Places of as many numbers as a layer has products: of zeros, and of sums. */
  private nothing = 0;
  private sums = 0;
  private readonly row: Float64Array;
  private readonly outer: Float64Array;
  private readonly scored: Float64Array;
  /** Of each table, features whose products with the layer that mixes them were asked for. */
  private readonly asked: readonly Batch[];

  /** Where a network's margin between the best label and the next one is told, in tests. */
  margin: ((margin: number) => void) | undefined;

  /**
   * @param numbers of the network, and more behind them.
   */
  constructor({ width, tables, labels }: NetworkPart, numbers: Float32Array) {
    let at = 0;
    const take = (count: number): Float32Array => numbers.subarray(at, (at += count));
    const double = (count: number): Float64Array => Float64Array.from(take(count));
    const maxout = (parts: number): Maxout => {
      const size = parts * width;
      const weights = take(width * PIECES * size);
      return {
        out: width,
        parts: Array.from({ length: parts }, (_, part) => blocksOf(weights, size, part * width, width)),
        bias: double(width * PIECES),
        scale: double(width),
        shift: double(width),
      };
    };
    if (width % ROWS || width * PIECES > LONGEST) throw new UnsupportedProfile("the page's tagger is damaged");
    this.width = width;
    this.labels = labels;
    this.tables = tables.map((table) => ({ ...table, numbers: take(table.rows * width), known: new Map() }));
    this.mixed = maxout(tables.length);
    this.first = maxout(3);
    this.second = maxout(3);
    this.weights = blocksOf(take(labels.length * width), width, 0, width);
    this.bias = new Float64Array(this.weights.length / width).fill(-Infinity);
    this.bias.set(take(labels.length));
    this.size = at;
    if (at > numbers.length) throw new UnsupportedProfile("the page's tagger is damaged");
    [this.row, this.outer] = [new Float64Array(width), new Float64Array(width)];
    this.scored = new Float64Array(this.bias.length);
    this.asked = this.mixed.parts.map((blocks) => new Batch(blocks, width, this.arena));
    [this.tokens, this.places] = [new Parts(this.first, this.arena), new Parts(this.second, this.arena)];
    this.forget();
  }

  /** Whether so many more tokens may be too many: then `forget`, and embed all anew. */
  isFull(more: number): boolean {
    return this.tokens.length + more > MOST_TOKENS || this.places.length + 5 * more > MOST_PLACES;
  }

  /** Forgets all tokens; their numbers mean nothing then. */
  forget(): void {
    for (const { known } of this.tables) known.clear();
    this.arena.clear();
    this.tokens.clear();
    this.places.clear();
    this.placeOf.clear();
    this.bestOf.clear();
    this.sums = this.arena.take(this.width * PIECES);
    this.nothing = this.arena.take(this.width * PIECES);
    this.clear(this.nothing);
    this.fill(this.tokens.vector(this.tokens.add()), this.width);
  }

  /**
   * The numbers of tokens with these features: what was not met before is multiplied together.
   *
   * @param numberOf the number of a feature.
   */
  embedAll(tokens: readonly (readonly string[])[], numberOf: (feature: string) => bigint): number[] {
    this.tables.forEach((table, part) => {
      for (const features of tokens) {
        const feature = features[table.column]!;
        if (table.known.has(feature)) continue;
        const vector = this.arena.take(this.width);
        const products = this.arena.take(this.width * PIECES);
        this.sumRows(table, numberOf(feature), this.arena.at(vector), offset(vector));
        table.known.set(feature, products);
        this.asked[part]!.add(vector, products);
      }
      this.asked[part]!.work();
    });
    return tokens.map((features) => this.embed(features, numberOf));
  }

  /**
   * The number of a token with these features.
   *
   * @param numberOf the number of a feature, asked where it was not met before.
   */
  embed(features: readonly string[], numberOf: (feature: string) => bigint): number {
    const { tables, arena, sums } = this;
    this.clear(sums);
    for (let part = 0; part < tables.length; part++) {
      const table = tables[part]!;
      const feature = features[table.column]!;
      let place = table.known.get(feature);
      if (place === undefined) {
        this.sumRows(table, numberOf(feature), this.row, 0);
        table.known.set(feature, (place = productsOf(this.mixed, part, this.row, 0, arena)));
      }
      addTo(arena, sums, place, this.width * PIECES);
    }
    const token = this.tokens.add();
    const vector = this.tokens.vector(token);
    finishMaxout(this.mixed, arena, sums, this.nothing, this.nothing, arena.at(vector), offset(vector));
    return token;
  }

  /** Works out what `label` or `scores` will be asked for of these tokens, each with two on either side: together. */
  prepare(all: readonly (readonly number[])[]): void {
    const made: number[] = [];
    for (const around of all) {
      for (let n = 0; n < 3; n++) {
        const [before, token, behind] = [around[n]!, around[n + 1]!, around[n + 2]!];
        const key = keyOf(before, token, behind);
        if (this.placeOf.has(key)) continue;
        const place = this.places.add();
        this.placeOf.set(key, place);
        made.push(place, before, token, behind);
        this.tokens.ask(before, 0);
        this.tokens.ask(token, 1);
        this.tokens.ask(behind, 2);
      }
    }
    this.tokens.work();
    for (let n = 0; n < made.length; n += 4) this.makePlace(made[n]!, made[n + 1]!, made[n + 2]!, made[n + 3]!);
    for (const around of all) {
      const [left, middle, right] = this.placesIn(around);
      if (this.bestOf.has(keyOf(left, middle, right))) continue;
      this.places.ask(left, 0);
      this.places.ask(middle, 1);
      this.places.ask(right, 2);
    }
    this.places.work();
  }

  /** Scores of the labels of a token, from the numbers of two before, of itself, and of two behind; until the next call. */
  scores(around: readonly number[]): Float64Array {
    return this.scoresAt(...this.placesIn(around));
  }

  /** The label of a token, from the numbers of two before, of itself, and of two behind. */
  label(around: readonly number[]): string {
    const [left, middle, right] = this.placesIn(around);
    const key = keyOf(left, middle, right);
    let best = this.bestOf.get(key);
    if (best === undefined) this.bestOf.set(key, (best = this.bestAt(left, middle, right)));
    return this.labels[best]!;
  }

  private placesIn(around: readonly number[]): [number, number, number] {
    const [a, b, c, d, e] = around as [number, number, number, number, number];
    return [this.place(a, b, c), this.place(b, c, d), this.place(c, d, e)];
  }

  private fill(place: number, count: number): void {
    this.arena.at(place).fill(0, offset(place), offset(place) + count);
  }

  private clear(sums: number): void {
    this.fill(sums, this.width * PIECES);
  }

  /** The sum of the rows that stand for a feature. */
  private sumRows({ numbers, rows, seed }: Table, id: bigint, into: Float64Array, to: number): void {
    const { width } = this;
    into.fill(0, to, to + width);
    for (const row of rowsOf(id, seed, rows)) {
      for (let d = 0; d < width; d++) into[to + d]! += numbers[row * width + d]!;
    }
  }

  /** The number of what the first convolution makes of three tokens. */
  private place(before: number, token: number, behind: number): number {
    const key = keyOf(before, token, behind);
    let place = this.placeOf.get(key);
    if (place !== undefined) return place;
    place = this.places.add();
    this.makePlace(place, before, token, behind);
    this.placeOf.set(key, place);
    return place;
  }

  private makePlace(place: number, before: number, token: number, behind: number): void {
    const vector = this.places.vector(place);
    this.convolved(this.first, this.tokens, before, token, behind, this.arena.at(vector), offset(vector));
  }

  /** A convolution over one neighbour, with what it is of added. */
  private convolved(layer: Maxout, row: Parts, left: number, middle: number, right: number, into: Float64Array, to: number): void {
    const { arena, width } = this;
    finishMaxout(layer, arena, row.product(left, 0), row.product(middle, 1), row.product(right, 2), into, to);
    const place = row.vector(middle);
    const vector = arena.at(place);
    for (let n = 0, from = offset(place); n < width; n++, from++) into[to + n]! += vector[from]!;
  }

  private bestAt(left: number, middle: number, right: number): number {
    let [best, highest, next] = [0, -Infinity, -Infinity];
    const scores = this.scoresAt(left, middle, right);
    for (let label = 0; label < scores.length; label++) {
      const score = scores[label]!;
      if (score > highest) [best, highest, next] = [label, score, highest];
      else if (score > next) next = score;
    }
    this.margin?.(highest - next);
    return best;
  }

  private scoresAt(left: number, middle: number, right: number): Float64Array {
    this.convolved(this.second, this.places, left, middle, right, this.outer, 0);
    multiply(this.weights, this.outer, 0, this.width, this.scored, 0);
    for (let n = 0; n < this.scored.length; n++) this.scored[n]! += this.bias[n]!;
    return this.scored;
  }
}

/** A number of three numbers of tokens, or of places. */
function keyOf(left: number, middle: number, right: number): number {
  return (left * BASE + middle) * BASE + right;
}
