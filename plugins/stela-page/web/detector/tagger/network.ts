/**
 * A causal network's layers, quickly: what stands for equal characters is one item, worked out once.
 *
 * Sums are of double precision and in another order than Python's: where a decision is near, `Exact` makes it.
 */
import { Pairs } from "../evidence/numbering";
import { Arena, offset } from "./arena";
import { TAPS } from "./file";
import type { Weights } from "./weights";

/** What stands before a text. */
export const OUTSIDE = -1;
/** Numbers that are remembered, of one tagger at a time: a page may have many. */
const MOST = 1 << 25;
const arena = new Arena();
let owner: object | undefined;

/** Items of a level: what a layer made of three items of the level before, each three once. */
class Level {
  readonly two = new Pairs();
  readonly three = new Pairs();
  /** Of each item: the place of its vector, then those of its products with the next layer's weights, or -1. */
  readonly places: number[] = [];

  /** The number of an item, and whether it is new. */
  of(a: number, b: number, c: number): number {
    return this.three.of(this.two.of(a, b), c);
  }
}

export class Network {
  private levels: Level[] = [];
  /** Of each table, the places of the products of its rows with the first layer's weights. */
  private known: Map<number, number>[] = [];
  /** Of what the network sees: the places of the sums of these products. */
  private seen: number[] = [];
  private readonly sums: Float64Array;
  private readonly products: Float64Array;
  private readonly values: Float64Array;
  private readonly inputs: Int32Array;

  constructor(private readonly weights: Weights, private readonly tagger: object) {
    const most = Math.max(weights.width, weights.given);
    this.sums = new Float64Array(weights.width);
    this.products = new Float64Array(weights.width);
    this.values = new Float64Array(most);
    this.inputs = new Int32Array(most);
    this.forget();
  }

  /** Whether too much is remembered, or another tagger's: then all of a tagger's `forget`, after which numbers of items mean nothing. */
  get isFull(): boolean {
    return owner !== this.tagger || arena.size > MOST;
  }

  forget(): void {
    owner = this.tagger;
    arena.clear();
    this.levels = this.weights.layers.map(() => new Level());
    this.known = this.weights.tables.map(() => new Map<number, number>());
    this.seen = [];
  }

  /** The number of what the network sees where these rows of the tables stand: one more than the last. */
  add(rows: readonly number[]): number {
    const { weights, sums } = this;
    const parts = rows.map((row, table) => this.productsOf(row, table));
    const place = arena.take(TAPS * weights.width);
    for (let tap = 0; tap < TAPS; tap++) {
      sums.fill(0);
      for (const part of parts) this.addAt(part + tap * weights.width);
      arena.at(place).set(sums, offset(place) + tap * weights.width);
    }
    return this.seen.push(place) - 1;
  }

  private productsOf(row: number, table: number): number {
    const known = this.known[table]!.get(row);
    if (known !== undefined) return known;
    const { weights } = this;
    const { rows, width, at } = weights.tables[table]!;
    const place = arena.take(TAPS * weights.width);
    weights.layers[0]!.taps.forEach((matrix, tap) => {
      this.multiply(matrix, at, rows, row * width, width, place + tap * weights.width);
    });
    this.known[table]!.set(row, place);
    return place;
  }

  /** The number of what a layer makes of a place and of two before it. */
  item(layer: number, a: number, b: number, c: number): number {
    const level = this.levels[layer]!;
    const { places } = level;
    const item = level.of(a, b, c);
    if (4 * item === places.length) {
      const place = arena.take(this.weights.width);
      places.push(place, -1, -1, -1);
      this.make(layer, a, b, c, place);
    }
    return item;
  }

  /** The score of an item of the last level. */
  score(item: number, row: number): number {
    const { scores, scoreBias, width } = this.weights;
    const place = this.levels[this.levels.length - 1]!.places[4 * item]!;
    const vector = arena.at(place);
    let sum = scoreBias[row]!;
    for (let n = 0, i = offset(place), j = row * width; n < width; n++, i++, j++) sum += vector[i]! * scores[j]!;
    return sum;
  }

  private make(layer: number, a: number, b: number, c: number, place: number): void {
    const { sums } = this;
    const { width, layers } = this.weights;
    sums.set(layers[layer]!.bias);
    this.addAt(this.product(layer, a, 0));
    this.addAt(this.product(layer, b, 1));
    this.addAt(this.product(layer, c, 2));
    const into = arena.at(place);
    const to = offset(place);
    for (let n = 0; n < width; n++) into[to + n] = sums[n]! > 0 ? sums[n]! : 0;
    if (!layer) return;
    const before = this.levels[layer - 1]!.places[4 * c]!;
    const vector = arena.at(before);
    for (let n = 0, i = offset(before); n < width; n++, i++) into[to + n]! += vector[i]!;
  }

  private addAt(place: number): void {
    if (place < 0) return;
    const { sums } = this;
    const from = arena.at(place);
    for (let n = 0, i = offset(place); n < sums.length; n++, i++) sums[n]! += from[i]!;
  }

  /** The place of an item's products with what a layer sees at a tap; none of what stands outside. */
  private product(layer: number, item: number, tap: number): number {
    if (item === OUTSIDE) return -1;
    const { width, layers } = this.weights;
    if (!layer) return this.seen[item]! + tap * width;
    const { places } = this.levels[layer - 1]!;
    const known = places[4 * item + 1 + tap]!;
    if (known >= 0) return known;
    const vector = places[4 * item]!;
    const place = arena.take(width);
    this.multiply(layers[layer]!.taps[tap]!, 0, arena.at(vector), offset(vector), width, place);
    return (places[4 * item + 1 + tap] = place);
  }

  /** Writes the products of `count` numbers from `from` on with a matrix's rows from `first` on: of those that are not 0. */
  private multiply(matrix: Float64Array, first: number, vector: Float32Array, from: number, count: number, place: number): void {
    const { inputs, values, products } = this;
    const { length: width } = products;
    let some = 0;
    for (let n = 0; n < count; n++) {
      const value = vector[from + n]!;
      values[some] = value;
      inputs[some] = (first + n) * width;
      some += Number(value !== 0); // without a branch, which no processor would foresee
    }
    products.fill(0);
    // Four at once, so that sums are read and written a fourth as often, for four units (a width is a multiple of four).
    for (let n = some; n % 4; n++) [values[n], inputs[n]] = [0, 0];
    for (let n = 0; n < some; n += 4) {
      const a = values[n]!;
      const b = values[n + 1]!;
      const c = values[n + 2]!;
      const d = values[n + 3]!;
      const i = inputs[n]!;
      const j = inputs[n + 1]!;
      const k = inputs[n + 2]!;
      const l = inputs[n + 3]!;
      for (let unit = 0; unit < width; unit += 4) {
        products[unit]! += a * matrix[i + unit]! + b * matrix[j + unit]! + (c * matrix[k + unit]! + d * matrix[l + unit]!);
        products[unit + 1]! += a * matrix[i + unit + 1]! + b * matrix[j + unit + 1]! + (c * matrix[k + unit + 1]! + d * matrix[l + unit + 1]!);
        products[unit + 2]! += a * matrix[i + unit + 2]! + b * matrix[j + unit + 2]! + (c * matrix[k + unit + 2]! + d * matrix[l + unit + 2]!);
        products[unit + 3]! += a * matrix[i + unit + 3]! + b * matrix[j + unit + 3]! + (c * matrix[k + unit + 3]! + d * matrix[l + unit + 3]!);
      }
    }
    arena.at(place).set(products, offset(place));
  }
}
