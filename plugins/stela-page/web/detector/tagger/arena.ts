/** Vectors in few large arrays: an array of its own for each takes longer to make than to fill. */

const BITS = 18;
const CHUNK = 1 << BITS;
const MASK = CHUNK - 1;

/** Where in its array a place lies. */
export function offset(place: number): number {
  return place & MASK;
}

/** Hands out places, numbers that stand for a vector each; all are given back at once. */
export class Arena {
  private readonly chunks: Float32Array[] = [];
  private next = 0;

  /** How many numbers there is room for in what was handed out. */
  get size(): number {
    return this.next;
  }

  /** Room for so many numbers, whatever they are now. */
  take(count: number): number {
    if (offset(this.next) + count > CHUNK) this.next = (this.next | MASK) + 1;
    const place = this.next;
    this.next += count;
    if (place >> BITS === this.chunks.length) this.chunks.push(new Float32Array(CHUNK));
    return place;
  }

  /** The array that a place lies in. */
  at(place: number): Float32Array {
    return this.chunks[place >> BITS]!;
  }

  /** Places handed out before mean nothing any more. */
  clear(): void {
    this.next = 0;
  }
}
