/** Layers of a small tagger's network, in double precision on the 32-bit weights of its file. */

/** Weights of a normalised maxout: (out * pieces) x in, and what comes after. */
export interface Maxout {
  readonly out: number;
  readonly size: number;
  /** Row by row: unit by unit, piece by piece. */
  readonly weights: Float64Array;
  readonly bias: Float64Array;
  readonly scale: Float64Array;
  readonly shift: Float64Array;
}

/** Pieces of each unit. */
export const PIECES = 3;
/** Rows of weights that are read at once. */
export const ROWS = 4;
const SMALL = 1e-8;

/**
 * Adds to sums the products of a vector with columns `first ...` of rows of weights, `size` wide: four rows at once,
 * so that the vector is read a fourth as often, and no sum waits for the one before; there are four times n of them.
 */
export function addProducts(weights: Float64Array, size: number, vector: Float64Array, first: number, sums: Float64Array): void {
  const count = vector.length;
  for (let unit = 0, row = first; unit < sums.length; unit += ROWS, row += ROWS * size) {
    const [second, third, fourth] = [row + size, row + 2 * size, row + 3 * size];
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let n = 0; n < count; n++) {
      const value = vector[n]!;
      a += weights[row + n]! * value;
      b += weights[second + n]! * value;
      c += weights[third + n]! * value;
      d += weights[fourth + n]! * value;
    }
    sums[unit]! += a;
    sums[unit + 1]! += b;
    sums[unit + 2]! += c;
    sums[unit + 3]! += d;
  }
}

/** The same for one part of what a maxout takes, as new sums. */
export function productsOf(layer: Maxout, vector: Float64Array, first: number): Float64Array {
  const sums = new Float64Array(layer.out * PIECES);
  addProducts(layer.weights, layer.size, vector, first, sums);
  return sums;
}

/** Adds sums to others. */
export function add(sums: Float64Array, more: Float64Array): void {
  for (let n = 0; n < sums.length; n++) sums[n]! += more[n]!;
}

/** The layer's output (out) from three sums of products (out * pieces): largest piece, mean 0, variance 1, scale and shift. */
export function finishMaxout(layer: Maxout, one: Float64Array, two: Float64Array, three: Float64Array): Float64Array {
  const { out, bias, scale, shift } = layer;
  const best = new Float64Array(out);
  let mean = 0;
  for (let unit = 0, at = 0; unit < out; unit++, at += PIECES) {
    const a = one[at]! + two[at]! + three[at]! + bias[at]!;
    const b = one[at + 1]! + two[at + 1]! + three[at + 1]! + bias[at + 1]!;
    const c = one[at + 2]! + two[at + 2]! + three[at + 2]! + bias[at + 2]!;
    const larger = a > b ? a : b;
    const largest = larger > c ? larger : c;
    best[unit] = largest;
    mean += largest;
  }
  mean /= out;
  let variance = 0;
  for (let unit = 0; unit < out; unit++) {
    const apart = best[unit]! - mean;
    variance += apart * apart;
  }
  const narrow = 1 / Math.sqrt(variance / out + SMALL);
  for (let unit = 0; unit < out; unit++) best[unit] = (best[unit]! - mean) * narrow * scale[unit]! + shift[unit]!;
  return best;
}
