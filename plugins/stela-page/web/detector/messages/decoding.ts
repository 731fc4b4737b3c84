/** The codeword whose symbols score most (stela_payload/decoding.py): of equal ones the one that Python takes. */
import { mix } from "../hashing/mix";
import { equalParities, listedRanks } from "./joining";
import type { ReedSolomon } from "./reed-solomon";

const STEPS = 8;
/** In which pairs are walked. */
const MOST_RANKS = 4096;
/** Product of the ranks of a triple. */

/** How long a list may be: pairs that are walked in one step, and choices of six places. */
export interface Effort {
  readonly pairs: number;
  readonly splits: number;
}

/** For a text. */
export const WHOLE: Effort = { pairs: 1 << 22, splits: 32 };
/** For a part of one. */
export const PART: Effort = { pairs: 1 << 18, splits: 4 };

type Scores = readonly Float32Array[];

/** The number whose codeword's scores sum to most. */
export function bestCodeword(scores: Scores, code: ReedSolomon, effort: Effort): bigint {
  if (code.k === 1) return BigInt(bestOf(scores[0]!));
  return (code.k === 2 ? bestOfPairs : bestOfTriples)(scores, code, effort);
}

function bestOf(row: Float32Array): number {
  return row.reduce((best, score, value) => (score > row[best]! ? value : best), 0);
}

/** Symbols at one place of a pair, from the best down: scores, and what each gives at the other places. */
interface Listed {
  readonly values: readonly number[];
  readonly scores: Float64Array;
  readonly given: readonly Uint16Array[];
}

interface Walk {
  readonly pair: readonly [number, number];
  readonly one: Listed;
  readonly other: Listed;
  readonly rows: Scores;
  /** The largest sum that the last of the other places can still add. */
  readonly most: Float64Array;
  /** For each symbol at the first place, how many pairs were walked before. */
  readonly ends: Int32Array;
}

function bestOfPairs(scores: Scores, code: ReedSolomon, { pairs: most }: Effort): bigint {
  const tops = scores.map((row) => row[bestOf(row)]!);
  const all = tops.reduce((a, b) => a + b, 0);
  const pairs: [number, number][] = [];
  for (let n = 0; n < code.n - 1; n += 2) pairs.push([n, n + 1]);
  let [best, number] = [-Infinity, 0n];
  for (const pair of pairs) {
    const start = code.numberOf(pair, pair.map((place) => bestOf(scores[place]!)));
    const total = code.symbolsOf(start).reduce((sum, symbol, place) => sum + scores[place]![symbol]!, 0);
    if (total > best) [best, number] = [total, start];
  }
  const first = (all - best) / pairs.length;
  const walks = pairs.map((pair) => walkOf(scores, code, pair, first, tops));
  for (let step = 1; step <= STEPS; step++) {
    const room = (((all - best) / pairs.length) * step) / STEPS;
    const least = pairs.map(([i, j]) => tops[i]! + tops[j]! - room);
    if (walks.reduce((count, { one, other }, at) => count + pairsAbove(one.scores, other.scores, least[at]!), 0) > most) break;
    walks.forEach((walk, at) => {
      const found = walked(walk, least[at]!, best);
      if (!found) return;
      best = found.total;
      number = code.numberOf(walk.pair, found.symbols);
    });
  }
  return number;
}

function walkOf(scores: Scores, code: ReedSolomon, pair: readonly [number, number], room: number, tops: readonly number[]): Walk {
  const others = tops.map((_, place) => place).filter((place) => !pair.includes(place));
  const factors = code.factorsOf(pair, others);
  const [one, other] = pair.map((place, at): Listed => {
    const values = sortedValues(scores[place]!, tops[place]! - room);
    const given = factors.map((factor) => Uint16Array.from(values, (value) => code.field!.product(value, factor[at]!)));
    return { values, scores: Float64Array.from(values, (value) => scores[place]![value]!), given };
  }) as [Listed, Listed];
  const most = new Float64Array(others.length + 1);
  for (let i = others.length - 1; i >= 0; i--) most[i] = most[i + 1]! + tops[others[i]!]!;
  return { pair, one, other, rows: others.map((place) => scores[place]!), most, ends: new Int32Array(one.values.length) };
}

/** How many sums of a score of each list are at least so large. */
function pairsAbove(one: Float64Array, other: Float64Array, least: number): number {
  let [count, y] = [0, other.length];
  for (const score of one) {
    while (y > 0 && score + other[y - 1]! < least) y--;
    if (!y) break;
    count += y;
  }
  return count;
}

/** The best codeword of the pairs whose scores sum to at least so much, if it is better than the best before. */
function walked({ one, other, rows, most, ends }: Walk, least: number, best: number): { total: number; symbols: number[] } | undefined {
  let [top, atOne, atOther] = [best, -1, -1];
  for (let x = 0; x < one.scores.length && one.scores[x]! + other.scores[0]! >= least; x++) {
    let y = ends[x]!;
    for (; y < other.scores.length && one.scores[x]! + other.scores[y]! >= least; y++) {
      let total = one.scores[x]! + other.scores[y]!;
      for (let place = 0; place < rows.length; place++) {
        total += rows[place]![one.given[place]![x]! ^ other.given[place]![y]!]!;
        if (total + most[place + 1]! <= top) {
          total = -Infinity;
          break;
        }
      }
      if (total > top) [top, atOne, atOther] = [total, x, y];
    }
    ends[x] = y;
  }
  return atOne < 0 ? undefined : { total: top, symbols: [one.values[atOne]!, other.values[atOther]!] };
}

/** The values that score at least so much, from the best down; of equal ones the smaller first. */
function sortedValues(row: Float32Array, least: number): number[] {
  const values: number[] = [];
  for (let value = 0; value < row.length; value++) if (row[value]! >= least) values.push(value);
  return values.sort((a, b) => row[b]! - row[a]! || a - b);
}

/** The values that score most, so many of them. */
function bestValues(row: Float32Array, count: number): number[] {
  return sortedValues(row, row.slice().sort()[row.length - count]!).slice(0, count);
}

function bestOfTriples(scores: Scores, code: ReedSolomon, effort: Effort): bigint {
  const [own, most] = [code.field!, Math.min(MOST_RANKS, code.values)];
  const ranks = listedRanks(most);
  const values = scores.map((row) => bestValues(row, most));
  let [best, number] = [-Infinity, 0n];
  for (const places of splits(code.n, effort.splits)) {
    const six = places.slice(0, 6);
    const parities = code.parities(six);
    const keys = six.map((place, i) => {
      const [first, second] = parities[i]!;
      return Uint32Array.from(values[place]!, (value) => own.product(first, value) * code.values + own.product(second, value));
    });
    const [four, others] = [places.slice(0, 4), places.slice(4)];
    const factors = code.factorsOf(four, others);
    for (const [ours, theirs] of equalParities(ranks, keys.slice(0, 3), keys.slice(3))) {
      const known = four.map((place, i) => values[place]![i < 3 ? ranks[i]![ours]! : ranks[0]![theirs]!]!);
      let total = four.reduce((sum, place, i) => sum + scores[place]![known[i]!]!, 0);
      others.forEach((place, at) => {
        total += scores[place]![known.reduce((symbol, one, i) => symbol ^ own.product(factors[at]![i]!, one), 0)]!;
      });
      if (total > best) [best, number] = [total, code.numberOf(four, known)];
    }
  }
  return number;
}

/** All places in some orders: two triples, which are joined, and the rest. */
export function splits(n: number, count: number): number[][] {
  const chosen: number[][] = [];
  for (let seed = 0; seed < count; seed++) {
    const keys = Array.from({ length: n }, (_, place) => mix({ high: 0, low: seed }, place));
    const order = keys.map((_, place) => place).sort((a, b) => keys[a]! - keys[b]! || a - b);
    for (let i = 0; i <= n - 6; i += 6) chosen.push([...order.slice(i, i + 6), ...order.slice(0, i), ...order.slice(i + 6)]);
  }
  return chosen.slice(0, count);
}
