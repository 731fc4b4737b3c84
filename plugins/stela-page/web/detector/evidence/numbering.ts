/** Numbers for pairs and sequences of ids, in the order in which they come: hash tables of numbers, as a text may have a million. */

/** From pairs of numbers of 32 bits to 0, 1, 2 ... */
export class Pairs {
  private mask = 1023;
  /** Two numbers and the pair's own, from 1 on; 0 where there is none. */
  private slots = new Int32Array(3 * 1024);
  private count = 0;

  /** How many there are. */
  get size(): number {
    return this.count;
  }

  /** The number of a pair, a new one where it is new. */
  of(one: number, other: number): number {
    const at = this.place(one, other);
    const known = this.slots[at + 2]!;
    if (known) return known - 1;
    this.slots[at] = one;
    this.slots[at + 1] = other;
    this.slots[at + 2] = ++this.count;
    if (2 * this.count > this.mask) this.grow();
    return this.count - 1;
  }

  private place(one: number, other: number): number {
    const { mask, slots } = this;
    let hash = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 13)) & mask;
    for (;;) {
      const at = 3 * hash;
      if (slots[at + 2] === 0 || (slots[at] === one && slots[at + 1] === other)) return at;
      hash = (hash + 1) & mask;
    }
  }

  private grow(): void {
    const before = this.slots;
    this.mask = 2 * this.mask + 1;
    this.slots = new Int32Array(3 * (this.mask + 1));
    for (let from = 0; from < before.length; from += 3) {
      if (!before[from + 2]) continue;
      const at = this.place(before[from]!, before[from + 1]!);
      for (let n = 0; n < 3; n++) this.slots[at + n] = before[from + n]!;
    }
  }
}

/** From the ids before a place to 0, 1, 2 ...: equal where the ids are. */
export class Contexts {
  private mask = 1023;
  /** The first place behind a context, from 1 on, and the context's number; 0 where there is none. */
  private slots = new Int32Array(2 * 1024);
  private count = 0;

  /** @param padding stands in front of the first id. */
  constructor(
    private readonly ids: readonly number[],
    private readonly width: number,
    private readonly padding: number,
  ) {}

  /** How many there are. */
  get size(): number {
    return this.count;
  }

  /** The number of the ids before a place, a new one where they are new. */
  before(position: number): number {
    const at = this.place(position);
    if (this.slots[at]) return this.slots[at + 1]!;
    this.slots[at] = position + 1;
    this.slots[at + 1] = this.count++;
    if (2 * this.count > this.mask) this.grow();
    return this.count - 1;
  }

  private place(position: number): number {
    const { mask, slots, width } = this;
    let hash = 0;
    for (let n = 1; n <= width; n++) hash = Math.imul(hash ^ this.id(position - n), 0x2c1b3c6d) ^ (hash >>> 15);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = (hash ^ (hash >>> 13)) & mask;
    for (;;) {
      const at = 2 * hash;
      const other = slots[at]! - 1;
      if (other < 0 || this.isAlike(position, other)) return at;
      hash = (hash + 1) & mask;
    }
  }

  private isAlike(position: number, other: number): boolean {
    for (let n = 1; n <= this.width; n++) if (this.id(position - n) !== this.id(other - n)) return false;
    return true;
  }

  private id(at: number): number {
    return at < 0 ? this.padding : this.ids[at]!;
  }

  private grow(): void {
    const before = this.slots;
    this.mask = 2 * this.mask + 1;
    this.slots = new Int32Array(2 * (this.mask + 1));
    for (let from = 0; from < before.length; from += 2) {
      if (!before[from]) continue;
      const at = this.place(before[from]! - 1);
      this.slots[at] = before[from]!;
      this.slots[at + 1] = before[from + 1]!;
    }
  }
}
