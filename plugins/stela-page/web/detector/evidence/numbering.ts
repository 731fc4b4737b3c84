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
  /** Of each length the contexts that are so long: each is one that is shorter, and an id before it. */
  private readonly lengths: readonly Pairs[];

  /** @param padding stands in front of the first id. */
  constructor(
    private readonly ids: readonly number[],
    private readonly width: number,
    private readonly padding: number,
  ) {
    this.lengths = Array.from({ length: width || 1 }, () => new Pairs());
  }

  /** How many there are. */
  get size(): number {
    return this.lengths[this.lengths.length - 1]!.size;
  }

  /** The number of the ids before a place, a new one where they are new. */
  before(position: number): number {
    let context = 0;
    this.lengths.forEach((pairs, n) => {
      context = pairs.of(context, n < this.width ? (this.ids[position - 1 - n] ?? this.padding) : 0);
    });
    return context;
  }
}
