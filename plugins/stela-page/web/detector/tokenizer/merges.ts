/** Which pairs of tokens BPE joins: a hash table of numbers, since a vocabulary may have half a million merges. */

/** From pairs of ids to the rank of their merge and the id that they make. */
export class Merges {
  private readonly mask: number;
  private readonly slots: Int32Array;

  /** Room for so many merges. */
  constructor(count: number) {
    let size = 1024;
    while (size < 2 * count) size *= 2;
    this.mask = size - 1;
    this.slots = new Int32Array(4 * size).fill(-1);
  }

  /** Remember a merge; a later one of the same pair takes its place. */
  set(left: number, right: number, rank: number, made: number): void {
    const at = this.place(left, right);
    this.slots[at] = left;
    this.slots[at + 1] = right;
    this.slots[at + 2] = rank;
    this.slots[at + 3] = made;
  }

  /** Where the merge of a pair is kept, for `rank` and `made`; -1 where there is none. */
  find(left: number, right: number): number {
    const at = this.place(left, right);
    return this.slots[at] === -1 ? -1 : at;
  }

  rank(place: number): number {
    return this.slots[place + 2]!;
  }

  made(place: number): number {
    return this.slots[place + 3]!;
  }

  private place(left: number, right: number): number {
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    hash = (hash ^ (hash >>> 15)) & this.mask;
    for (;;) {
      const at = 4 * hash;
      const there = this.slots[at]!;
      if (there === -1 || (there === left && this.slots[at + 1] === right)) return at;
      hash = (hash + 1) & this.mask;
    }
  }
}
