/** Byte pair encoding of one piece of a text, as the tokenizers' library does it.
 *
 * It is our own: `@huggingface/tokenizers` does not tell where tokens stand in the text, which shading and passages need, and
 * finds half a million merges by strings of JSON.
 */
import { Merges } from "./merges";

/** Merge symbols until no pair is left that merges: always the pair of the lowest rank, of equal ones the first. */
export function mergeAll(ids: number[], merges: Merges): number[] {
  if (ids.length < 2) return ids;
  const next = ids.map((_, n) => (n + 1 < ids.length ? n + 1 : -1));
  const before = ids.map((_, n) => n - 1);
  const gone = new Uint8Array(ids.length);
  const waiting = new Waiting();
  const offer = (at: number, after: number): void => {
    const place = merges.find(ids[at]!, ids[after]!);
    if (place >= 0) waiting.push(merges.rank(place), at, merges.made(place));
  };
  for (let n = 0; n + 1 < ids.length; n++) offer(n, n + 1);
  while (waiting.size) {
    const [at, made] = waiting.pop();
    const after = next[at]!;
    if (gone[at] || after < 0) continue;
    const place = merges.find(ids[at]!, ids[after]!);
    // The library asks what a pair makes, not by which merge; so do we.
    if (place < 0 || merges.made(place) !== made) continue;
    ids[at] = made;
    gone[after] = 1;
    const behind = (next[at] = next[after]!);
    if (behind >= 0) {
      before[behind] = at;
      offer(at, behind);
    }
    if (before[at]! >= 0) offer(before[at]!, at);
  }
  return ids.filter((_, n) => !gone[n]);
}

/** Merges that may come next, the lowest rank first, of equal ranks the first place: a binary heap. */
class Waiting {
  private readonly ranks: number[] = [];
  private readonly places: number[] = [];
  private readonly made: number[] = [];

  get size(): number {
    return this.ranks.length;
  }

  push(rank: number, place: number, made: number): void {
    let at = this.ranks.length;
    while (at) {
      const up = (at - 1) >> 1;
      if (!this.comesBefore(rank, place, up)) break;
      this.copy(up, at);
      at = up;
    }
    this.put(at, rank, place, made);
  }

  pop(): [place: number, made: number] {
    const first: [number, number] = [this.places[0]!, this.made[0]!];
    const rank = this.ranks.pop()!;
    const place = this.places.pop()!;
    const made = this.made.pop()!;
    const size = this.size;
    if (size) {
      let at = 0;
      for (;;) {
        let down = 2 * at + 1;
        if (down >= size) break;
        if (down + 1 < size && this.comesBefore(this.ranks[down + 1]!, this.places[down + 1]!, down)) down++;
        if (this.comesBefore(rank, place, down)) break;
        this.copy(down, at);
        at = down;
      }
      this.put(at, rank, place, made);
    }
    return first;
  }

  private comesBefore(rank: number, place: number, other: number): boolean {
    const its = this.ranks[other]!;
    return rank < its || (rank === its && place < this.places[other]!);
  }

  private copy(from: number, to: number): void {
    this.put(to, this.ranks[from]!, this.places[from]!, this.made[from]!);
  }

  private put(at: number, rank: number, place: number, made: number): void {
    this.ranks[at] = rank;
    this.places[at] = place;
    this.made[at] = made;
  }
}
