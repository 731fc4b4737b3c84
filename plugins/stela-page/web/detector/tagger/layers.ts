/** Layers of a small tagger's network, in double precision on the 32-bit weights of its file. */
import { type Arena, offset } from "./arena";
import { Batch } from "./batch";

/** Pieces of each unit. */
export const PIECES = 3;
/** Rows of weights that are read at once. */
export const ROWS = 4;
const SMALL = 1e-8;

/** A normalised maxout of several parts laid end to end, and what comes after. */
export interface Maxout {
  readonly out: number;
  /** For each part of what it takes a matrix as `blocksOf` lays it, unit by unit, piece by piece. */
  readonly parts: readonly Float64Array[];
  readonly bias: Float64Array;
  readonly scale: Float64Array;
  readonly shift: Float64Array;
}

/**
 * Columns `first .. first + count` of a matrix, `size` wide, rows in fours: the four numbers of a column stand
 * together, so that they are read one after the other. Behind the last row stand rows of nothing.
 */
export function blocksOf(weights: Float32Array, size: number, first: number, count: number): Float64Array {
  const rows = weights.length / size;
  const blocks = new Float64Array(ROWS * Math.ceil(rows / ROWS) * count);
  for (let row = 0; row < rows; row++) {
    const block = row - (row % ROWS);
    for (let n = 0; n < count; n++) blocks[block * count + n * ROWS + (row % ROWS)] = weights[row * size + first + n]!;
  }
  return blocks;
}

/**
 * Writes the products of a matrix in blocks with a vector of `count` numbers from `from` on behind `to`: four rows at
 * once, so that the vector is read a fourth as often, and no sum waits for the one before.
 */
export function multiply(blocks: Float64Array, vector: Float64Array, from: number, count: number, sums: Float64Array, to: number): void {
  const end = from + count;
  for (let at = 0, row = to; at < blocks.length; row += ROWS) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let n = from; n < end; n++, at += ROWS) {
      const value = vector[n]!;
      a += blocks[at]! * value;
      b += blocks[at + 1]! * value;
      c += blocks[at + 2]! * value;
      d += blocks[at + 3]! * value;
    }
    sums[row] = a;
    sums[row + 1] = b;
    sums[row + 2] = c;
    sums[row + 3] = d;
  }
}

/** Adds the numbers at one place to those at another. */
export function addTo(arena: Arena, sums: number, place: number, count: number): void {
  const into = arena.at(sums);
  const from = arena.at(place);
  const end = offset(sums) + count;
  for (let i = offset(sums), j = offset(place); i < end; i++, j++) into[i]! += from[j]!;
}

/** The place of the products of a maxout's part with a vector. */
export function productsOf(layer: Maxout, part: number, vector: Float64Array, from: number, arena: Arena): number {
  const place = arena.take(layer.out * PIECES);
  multiply(layer.parts[part]!, vector, from, layer.out, arena.at(place), offset(place));
  return place;
}

/**
 * Writes the layer's output (out) behind `to`, from three sums of products (out * pieces) at places: largest piece,
 * mean 0, variance 1, scale and shift.
 */
export function finishMaxout(
  layer: Maxout,
  arena: Arena,
  left: number,
  middle: number,
  right: number,
  into: Float64Array,
  to: number,
): void {
  const { out, bias, scale, shift } = layer;
  const one = arena.at(left);
  const two = arena.at(middle);
  const three = arena.at(right);
  let i = offset(left);
  let j = offset(middle);
  let k = offset(right);
  let mean = 0;
  for (let unit = 0, at = 0; unit < out; unit++, at += PIECES, i += PIECES, j += PIECES, k += PIECES) {
    const a = one[i]! + two[j]! + three[k]! + bias[at]!;
    const b = one[i + 1]! + two[j + 1]! + three[k + 1]! + bias[at + 1]!;
    const c = one[i + 2]! + two[j + 2]! + three[k + 2]! + bias[at + 2]!;
    const larger = a > b ? a : b;
    const largest = larger > c ? larger : c;
    into[to + unit] = largest;
    mean += largest;
  }
  mean /= out;
  let variance = 0;
  for (let unit = 0; unit < out; unit++) {
    const apart = into[to + unit]! - mean;
    variance += apart * apart;
  }
  const narrow = 1 / Math.sqrt(variance / out + SMALL);
  for (let unit = 0; unit < out; unit++) into[to + unit] = (into[to + unit]! - mean) * narrow * scale[unit]! + shift[unit]!;
}

/** Vectors, each with its products with a convolution's weights as left, middle and right one, each worked out once. */
export class Parts {
  /** Of each: the place of the vector, then those of the products, or -1. */
  private readonly places: number[] = [];
  /** Of each part, the products that were asked for. */
  private readonly asked: readonly Batch[];

  constructor(
    private readonly layer: Maxout,
    private readonly arena: Arena,
  ) {
    this.asked = layer.parts.map((blocks) => new Batch(blocks, layer.out, arena));
  }

  get length(): number {
    return this.places.length / 4;
  }

  /** The number of a new vector, still to be written at `vector(number)`. */
  add(): number {
    return this.places.push(this.arena.take(this.layer.out), -1, -1, -1) / 4 - 1;
  }

  vector(number: number): number {
    return this.places[4 * number]!;
  }

  product(number: number, part: number): number {
    const known = this.places[4 * number + 1 + part]!;
    if (known >= 0) return known;
    const vector = this.vector(number);
    const made = productsOf(this.layer, part, this.arena.at(vector), offset(vector), this.arena);
    this.places[4 * number + 1 + part] = made;
    return made;
  }

  /** Asks for a product, which `work` makes: it means nothing before. */
  ask(number: number, part: number): void {
    if (this.places[4 * number + 1 + part]! >= 0) return;
    const made = this.arena.take(this.layer.out * PIECES);
    this.places[4 * number + 1 + part] = made;
    this.asked[part]!.add(this.vector(number), made);
  }

  /** Makes all products that were asked for, together. */
  work(): void {
    for (const batch of this.asked) batch.work();
  }

  clear(): void {
    this.places.length = 0;
  }
}
