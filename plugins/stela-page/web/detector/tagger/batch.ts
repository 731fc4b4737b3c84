/** Products of one matrix with many vectors: two at a time, so that each weight is read half as often. */
import { type Arena, offset } from "./arena";
import { multiply, ROWS } from "./layers";

/** Vectors that wait for their products, all of `count` numbers. */
export class Batch {
  private readonly pair: Float64Array;
  private readonly vectors: number[] = [];
  private readonly products: number[] = [];

  constructor(
    private readonly blocks: Float64Array,
    private readonly count: number,
    private readonly arena: Arena,
  ) {
    this.pair = new Float64Array(2 * count);
  }

  /** Asks for the products of the vector at a place; they will stand at another. */
  add(vector: number, products: number): void {
    this.vectors.push(vector);
    this.products.push(products);
  }

  /** Writes all that was asked for; each sum is taken in the order of `multiply`, so that its bits are the same. */
  work(): void {
    const { arena, blocks, count, vectors, products } = this;
    let n = 0;
    for (; n + 1 < vectors.length; n += 2) {
      this.interleave(vectors[n]!, vectors[n + 1]!);
      const [one, other] = [products[n]!, products[n + 1]!];
      multiplyTwo(blocks, this.pair, count, arena.at(one), offset(one), arena.at(other), offset(other));
    }
    if (n < vectors.length) {
      const [vector, one] = [vectors[n]!, products[n]!];
      multiply(blocks, arena.at(vector), offset(vector), count, arena.at(one), offset(one));
    }
    vectors.length = products.length = 0;
  }

  private interleave(one: number, other: number): void {
    const { arena, count, pair } = this;
    const [a, b] = [arena.at(one), arena.at(other)];
    for (let n = 0, i = offset(one), j = offset(other); n < count; n++, i++, j++) {
      pair[2 * n] = a[i]!;
      pair[2 * n + 1] = b[j]!;
    }
  }
}

/** As `multiply` with each of two vectors, whose numbers stand in turns in `pair`. */
function multiplyTwo(
  blocks: Float64Array,
  pair: Float64Array,
  count: number,
  one: Float64Array,
  i: number,
  other: Float64Array,
  j: number,
): void {
  const end = 2 * count;
  for (let at = 0; at < blocks.length; i += ROWS, j += ROWS) {
    // One by one: until it is optimised, a browser makes arrays of what is taken apart.
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let n = 0; n < end; n += 2, at += ROWS) {
      const x = pair[n]!;
      const y = pair[n + 1]!;
      const p = blocks[at]!;
      const q = blocks[at + 1]!;
      const r = blocks[at + 2]!;
      const s = blocks[at + 3]!;
      a += p * x;
      b += q * x;
      c += r * x;
      d += s * x;
      e += p * y;
      f += q * y;
      g += r * y;
      h += s * y;
    }
    one[i] = a;
    one[i + 1] = b;
    one[i + 2] = c;
    one[i + 3] = d;
    other[j] = e;
    other[j + 1] = f;
    other[j + 2] = g;
    other[j + 3] = h;
  }
}
