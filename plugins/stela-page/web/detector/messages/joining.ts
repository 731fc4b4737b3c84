/** Triples of symbols that belong to one codeword (stela_payload/compiled_decoding.py). */

const MARKS = 2 ** 21;
/** Of parities, by their lower bits. */
const HEADS = 2 ** 12;
/** Of chains of triples. */

type Triples = readonly [Uint16Array, Uint16Array, Uint16Array];

const kept = new Map<number, Triples>();

/** Ranks of three symbols, from 0, whose product, counted from 1, is at most so much: those of the first, second, third. */
export function listedRanks(most: number): Triples {
  const known = kept.get(most);
  if (known) return known;
  const [a, b, c]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < most; i++) {
    for (let j = 0; j < Math.floor(most / (i + 1)); j++) {
      for (let l = 0; l < Math.floor(most / ((i + 1) * (j + 1))); l++) {
        a.push(i);
        b.push(j);
        c.push(l);
      }
    }
  }
  const made: Triples = [Uint16Array.from(a), Uint16Array.from(b), Uint16Array.from(c)];
  kept.set(most, made);
  return made;
}

const seen = new Uint8Array(MARKS);
const also = new Uint8Array(MARKS);

/** Numbers in `ranks` of triples of equal parity, those of the first three places and those of the others.
 *
 * @param first parity of each symbol at the first three places, by rank.
 * @param second at the others.
 */
export function equalParities(ranks: Triples, first: readonly Uint32Array[], second: readonly Uint32Array[]): [number, number][] {
  const count = ranks[0].length;
  const [ours, theirs] = [parities(ranks, first), parities(ranks, second)];
  seen.fill(0);
  also.fill(0);
  for (let t = 0; t < count; t++) seen[ours[t]! & (MARKS - 1)] = 1;
  const marked: number[] = [];
  for (let t = 0; t < count; t++) {
    const at = theirs[t]! & (MARKS - 1);
    if (!seen[at]) continue;
    also[at] = 1;
    marked.push(t);
  }
  const heads = new Int32Array(HEADS).fill(-1);
  const after = new Int32Array(count);
  for (let t = count - 1; t >= 0; t--) {
    const own = ours[t]!;
    if (!also[own & (MARKS - 1)]) continue;
    after[t] = heads[own & (HEADS - 1)]!;
    heads[own & (HEADS - 1)] = t;
  }
  const pairs: [number, number][] = [];
  for (let m = 0; m < marked.length; m++) {
    const u = marked[m]!;
    for (let t = heads[theirs[u]! & (HEADS - 1)]!; t >= 0; t = after[t]!) if (ours[t] === theirs[u]) pairs.push([t, u]);
  }
  return pairs;
}

function parities([a, b, c]: Triples, [first, second, third]: readonly Uint32Array[]): Uint32Array {
  const made = new Uint32Array(a.length);
  for (let t = 0; t < made.length; t++) made[t] = first![a[t]!]! ^ second![b[t]!]! ^ third![c[t]!]!;
  return made;
}
