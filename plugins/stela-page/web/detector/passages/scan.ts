/** All windows over one text: those whose corrected p-value is small (stela_detection/search/window_scan.py). */
import type { Evidence } from "../evidence/evidence";
import { meanOf } from "../law";
import { readOf } from "../messages/message";
import { SMALLEST } from "../statistics/convolution";
import { leastP, scoreOf, type Scoring } from "../statistics/grouped";
import type { Passage, ReadMessage } from "../types";
import { bestApart, densest } from "./choosing";
import { type Tried, triedWindows } from "./tried-windows";

const EXACT = 48;
const ROUNDS = 8;
const WIDEST = 2;
const APART = 16;

/** What is named, in scored tokens: a part, all its windows together, and the one whose p-value it has. */
interface Part {
  best: Tried;
  windowStart: number;
  windowEnd: number;
  start: number;
  end: number;
}

/** The windows of a text of at least one scored token; p-values are times `looks`. */
export class Scan {
  private readonly tried: Tried[];
  private readonly known = new Map<string, number>();

  constructor(
    private readonly evidence: Evidence,
    private readonly scoring: Scoring,
    looks: number,
  ) {
    this.tried = triedWindows(evidence, scoring.repeats, looks);
  }

  /** The window with the smallest corrected p-value; its message is read where that is at most alpha. */
  best(alpha: number): Passage {
    const promising = first(this.tried, EXACT);
    const best = promising.reduce((a, b) => (this.p(b) / b.share < this.p(a) / a.share ? b : a));
    const part = { best, windowStart: best.start, windowEnd: best.end, start: best.start, end: best.end };
    return this.passage(part, this.corrected(best) <= alpha);
  }

  /** The corrected p-value of the whole text if all of it were green. */
  bestOfAll(): number {
    return leastP(this.evidence, this.scoring) / this.tried[this.tried.length - 1]!.share;
  }

  /** Whether there may be passages at all: no p-value is worked out for it. */
  isPromising(alpha: number): boolean {
    const most = Math.log(alpha);
    return this.tried.some((window) => window.logP <= most);
  }

  /** Passages whose windows have corrected p-values of at most alpha, in order; they do not overlap. */
  passages(alpha: number): Passage[] {
    const most = Math.log(alpha);
    const promising = this.tried.filter((window) => window.logP <= most);
    promising.sort((a, b) => a.start - b.start);
    const chosen = this.apart(promising, alpha);
    const made: Part[] = [];
    let last = 0;
    chosen.forEach((core, n) => {
      const stop = chosen[n + 1]?.start ?? this.evidence.weights.length;
      let part = this.painted(core, promising, last, stop, alpha);
      last = part.windowEnd;
      const before = made[made.length - 1];
      if (before && this.goesOn(before, part)) part = this.joined(made.pop()!, part);
      made.push(part);
    });
    return made.map((part) => this.passage(part, true));
  }

  /** Whether two parts are one passage: tokens between look marked, too, or are too few to tell. */
  private goesOn(one: Part, other: Part): boolean {
    if (other.start - one.end < APART) return true;
    const values = this.values(one.end, other.start, this.mean(one.start, other.end));
    return values.reduce((a, b) => a + b, 0) >= 0;
  }

  private joined(one: Part, other: Part): Part {
    const best = this.corrected(other.best) < this.corrected(one.best) ? other.best : one.best;
    return { best, windowStart: one.windowStart, windowEnd: other.windowEnd, start: one.start, end: other.end };
  }

  /** Windows that do not overlap, each with an exact corrected p-value of at most alpha. */
  private apart(promising: readonly Tried[], alpha: number): Tried[] {
    const gains = promising.map((window) => Math.log(alpha) - window.logP);
    const exact = new Set<number>();
    let chosen: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      chosen = bestApart(promising, gains);
      const unknown = chosen.filter((n) => !exact.has(n));
      if (!unknown.length) break;
      for (const n of unknown) {
        if (this.corrected(promising[n]!) > alpha) gains[n] = 0;
        exact.add(n);
      }
    }
    return chosen.filter((n) => gains[n]! > 0 && exact.has(n)).map((n) => promising[n]!);
  }

  /** A window around `core` within `first .. stop`, and its densest part. */
  private painted(core: Tried, promising: readonly Tried[], first: number, stop: number, alpha: number): Part {
    const mean = this.mean(core.start, core.end);
    const longest = WIDEST * (core.end - core.start);
    const from = Math.max(first, core.end - longest);
    const options = startingIn(promising, from, core.start)
      .filter(({ end, start }) => core.end <= end && end <= stop && end - start <= longest)
      .map((window) => ({ window, ...densest(this.values(window.start, window.end, mean)) }));
    // Windows around one part show the same: which of them is taken must not turn on the last bit of a sum.
    const shown = ({ total }: { total: number }): number => Number(total.toPrecision(10));
    options.sort((a, b) => {
      const length = a.window.end - a.window.start - (b.window.end - b.window.start);
      return shown(b) - shown(a) || length || byPromise(a.window, b.window) || a.start - b.start || a.end - b.end;
    });
    for (const { window, start, end } of options) {
      if (this.corrected(window) > alpha) continue;
      const [windowStart, windowEnd] = [window.start, window.end];
      return { best: window, windowStart, windowEnd, start: windowStart + start, end: windowStart + end };
    }
    return { best: core, windowStart: core.start, windowEnd: core.end, start: core.start, end: core.end };
  }

  /** The scorer's p-value of a window as a text of its own. */
  private p({ start, end }: Tried): number {
    const place = `${start},${end}`;
    let p = this.known.get(place);
    if (p === undefined) {
      const { draws, weights, groups, law } = this.evidence;
      const parts = law.parts.length;
      const part = {
        draws: draws.slice(start * parts, end * parts),
        weights: weights.slice(start, end),
        groups: groups.slice(start, end),
        law,
      };
      p = scoreOf(part, this.scoring).p;
      this.known.set(place, p);
    }
    return p;
  }

  private corrected(window: Tried): number {
    return Math.min(1, Math.max(SMALLEST, this.p(window) / window.share));
  }

  /** Weighted mean signal of a part. */
  private mean(start: number, end: number): number {
    let [sum, weight] = [0, 0];
    for (let n = start; n < end; n++) {
      sum += this.evidence.weights[n]! * this.evidence.signal[n]!;
      weight += this.evidence.weights[n]!;
    }
    return sum / (weight || 1);
  }

  /** What each token of a part says for a mark whose signals have this mean. */
  private values(start: number, end: number, marked: number): Float64Array {
    const { groups, weights, signal, law } = this.evidence;
    const middle = (meanOf(law) + marked) / 2;
    const repeats = new Map<number, number>();
    for (let n = start; n < end; n++) repeats.set(groups[n]!, (repeats.get(groups[n]!) ?? 0) + 1);
    return Float64Array.from({ length: end - start }, (_, i) => {
      const n = start + i;
      return (weights[n]! / repeats.get(groups[n]!)!) * (signal[n]! - middle);
    });
  }

  private passage(part: Part, marked: boolean): Passage {
    const { positions, encoded } = this.evidence.weighed;
    const [first, last] = [positions[part.start]!, positions[part.end - 1]!];
    const message = marked ? this.named(part.best) : undefined;
    return { start: encoded.starts[first]!, end: encoded.ends[last]!, p_value: this.corrected(part.best), ...(message && { message }) };
  }

  /** What is sure of the text's message in a window; of texts with several, the others are not looked for. */
  private named({ start, end, share }: Tried): ReadMessage | undefined {
    const { carried, choices } = this.evidence;
    return carried && readOf(carried.encoder.sureOf(carried.seeded.slice(start, end), carried.values, carried.key, 1 / (share * choices)));
  }
}

/** The first few of many windows by `byPromise`: of a million all are not sorted. */
function first(tried: readonly Tried[], count: number): Tried[] {
  const kept: Tried[] = [];
  for (const window of tried) {
    if (kept.length === count && byPromise(window, kept[count - 1]!) >= 0) continue;
    let at = kept.length;
    while (at && byPromise(window, kept[at - 1]!) < 0) at--;
    kept.splice(at, 0, window);
    if (kept.length > count) kept.pop();
  }
  return kept;
}

/** Of windows in the order of their starts those that start between two places, both included. */
function startingIn(windows: readonly Tried[], from: number, to: number): readonly Tried[] {
  const below = (limit: number): number => {
    let [low, high] = [0, windows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (windows[middle]!.start < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return windows.slice(below(from), below(to + 1));
}

/** The order of `Tried` as tuples in Python. */
function byPromise(a: Tried, b: Tried): number {
  return a.logP - b.logP || a.start - b.start || a.end - b.end || a.share - b.share;
}
