/** The network of the small taggers (stela_spacy/network.py): an embedding, two convolutions over one neighbour, an output. */
import { UnsupportedProfile } from "../types";
import type { NetworkPart } from "./file";
import { rowsOf } from "./hashes";
import { add, addProducts, finishMaxout, type Maxout, PIECES, productsOf, ROWS } from "./layers";

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
  readonly known: Map<bigint, Float64Array>;
}

/** Numbers of best labels; equal tokens around a token give it an equal label, worked out once. */
export class Network {
  readonly labels: readonly string[];
  /** How many numbers it has. */
  readonly size: number;
  private readonly tables: Table[];
  private readonly mixed: Maxout;
  private readonly first: Maxout;
  private readonly second: Maxout;
  private readonly weights: Float64Array;
  private readonly bias: Float64Array;
  private readonly width: number;
  private readonly nothing: Float64Array;
  private tokens: Parts[] = [];
  private readonly placeOf = new Map<number, number>();
  private places: Parts[] = [];
  private readonly bestOf = new Map<number, number>();

  /** Where a network's margin between the best label and the next one is told, in tests. */
  margin: ((margin: number) => void) | undefined;

  /**
   * @param numbers of the network, and more behind them.
   */
  constructor({ width, tables, labels }: NetworkPart, numbers: Float32Array) {
    let at = 0;
    const take = (count: number): Float32Array => numbers.subarray(at, (at += count));
    const double = (count: number): Float64Array => Float64Array.from(take(count));
    const maxout = (size: number): Maxout => ({
      out: width,
      size,
      weights: double(width * PIECES * size),
      bias: double(width * PIECES),
      scale: double(width),
      shift: double(width),
    });
    this.width = width;
    this.nothing = new Float64Array(width * PIECES);
    this.labels = labels;
    this.tables = tables.map((table) => ({ ...table, numbers: take(table.rows * width), known: new Map() }));
    this.mixed = maxout(width * tables.length);
    this.first = maxout(width * 3);
    this.second = maxout(width * 3);
    // Rows of nothing behind the last label.
    const rows = ROWS * Math.ceil(labels.length / ROWS);
    this.weights = new Float64Array(rows * width);
    this.weights.set(take(labels.length * width));
    this.bias = new Float64Array(rows).fill(-Infinity);
    this.bias.set(take(labels.length));
    this.size = at;
    if (at > numbers.length || width % ROWS) throw new UnsupportedProfile("the page's tagger is damaged");
    this.forget();
  }

  /** Whether so many more tokens may be too many: then `forget`, and embed all anew. */
  isFull(more: number): boolean {
    return this.tokens.length + more > MOST_TOKENS || this.places.length + 5 * more > MOST_PLACES;
  }

  /** Forgets all tokens; their numbers mean nothing then. */
  forget(): void {
    for (const { known } of this.tables) known.clear();
    this.tokens = [new Parts(this.first, new Float64Array(this.width))];
    this.placeOf.clear();
    this.places = [];
    this.bestOf.clear();
  }

  /** The number of a token with these numbers of features. */
  embed(ids: readonly bigint[]): number {
    const sums = new Float64Array(this.width * PIECES);
    this.tables.forEach((table, n) => {
      const id = ids[table.column]!;
      let products = table.known.get(id);
      if (!products) table.known.set(id, (products = productsOf(this.mixed, this.rowOf(table, id), n * this.width)));
      add(sums, products);
    });
    return this.tokens.push(new Parts(this.first, finishMaxout(this.mixed, sums, this.nothing, this.nothing))) - 1;
  }

  /** Scores of the labels of a token, from the numbers of two before, of itself, and of two behind. */
  scores(around: readonly number[]): Float64Array {
    return this.scoresAt(...this.placesIn(around));
  }

  /** The label of a token, from the numbers of two before, of itself, and of two behind. */
  label(around: readonly number[]): string {
    const [left, middle, right] = this.placesIn(around);
    const key = (left * BASE + middle) * BASE + right;
    let best = this.bestOf.get(key);
    if (best === undefined) this.bestOf.set(key, (best = this.bestAt(left, middle, right)));
    return this.labels[best]!;
  }

  private placesIn(around: readonly number[]): [number, number, number] {
    const [a, b, c, d, e] = around as [number, number, number, number, number];
    return [this.place(a, b, c), this.place(b, c, d), this.place(c, d, e)];
  }

  /** The sum of the rows that stand for a feature. */
  private rowOf({ numbers, rows, seed }: Table, id: bigint): Float64Array {
    const sum = new Float64Array(this.width);
    for (const row of rowsOf(id, seed, rows)) {
      for (let d = 0; d < this.width; d++) sum[d]! += numbers[row * this.width + d]!;
    }
    return sum;
  }

  /** The number of what the first convolution makes of three tokens. */
  private place(before: number, token: number, behind: number): number {
    const key = (before * BASE + token) * BASE + behind;
    let place = this.placeOf.get(key);
    if (place !== undefined) return place;
    const inner = this.convolved(this.first, this.tokens, before, token, behind);
    place = this.places.push(new Parts(this.second, inner)) - 1;
    this.placeOf.set(key, place);
    return place;
  }

  /** A convolution over one neighbour, with what it is of added. */
  private convolved(layer: Maxout, row: readonly Parts[], left: number, middle: number, right: number): Float64Array {
    const out = finishMaxout(layer, row[left]!.product(0), row[middle]!.product(1), row[right]!.product(2));
    add(out, row[middle]!.vector);
    return out;
  }

  private bestAt(left: number, middle: number, right: number): number {
    let [best, highest, next] = [0, -Infinity, -Infinity];
    this.scoresAt(left, middle, right).forEach((score, label) => {
      if (score > highest) [best, highest, next] = [label, score, highest];
      else if (score > next) next = score;
    });
    this.margin?.(highest - next);
    return best;
  }

  private scoresAt(left: number, middle: number, right: number): Float64Array {
    const outer = this.convolved(this.second, this.places, left, middle, right);
    const scores = this.bias.slice();
    addProducts(this.weights, this.width, outer, 0, scores);
    return scores;
  }
}

/** A vector, and its products with a convolution's weights as left, middle and right one, each worked out once. */
class Parts {
  private readonly products: (Float64Array | undefined)[] = [];

  constructor(
    private readonly layer: Maxout,
    readonly vector: Float64Array,
  ) {}

  product(part: number): Float64Array {
    return (this.products[part] ??= productsOf(this.layer, this.vector, part * this.vector.length));
  }
}
