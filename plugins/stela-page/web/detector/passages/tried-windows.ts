/** All windows of a text's grid with the z of a normal approximation (stela_detection/search/windows.py). */
import type { Evidence } from "../evidence/evidence";
import { meanOf, varianceOf } from "../law";
import { type Repeats, shareOf } from "../statistics/grouped";
import { logNormalTail } from "../statistics/normal";

/** A window in scored tokens; the smallest `logP` is the most promising. */
export interface Tried {
  /** Of a normal tail, with the correction. */
  readonly logP: number;
  readonly start: number;
  readonly end: number;
  /** Of the error rate. */
  readonly share: number;
}

const SHORTEST = 32;
const STRIDES = 8;
const WHOLE = 0.5;

/** Windows of each length, and what of the error rate each may use up; the whole text is the last. */
export function windowGrid(count: number): { length: number; starts: number[]; share: number }[] {
  const lengths: number[] = [];
  for (let length = SHORTEST; length < count; length *= Math.SQRT2) lengths.push(Math.trunc(length));
  const whole = lengths.length ? WHOLE : 1;
  const grid = lengths.map((length) => {
    const starts: number[] = [];
    const stride = Math.max(1, Math.floor(length / STRIDES));
    for (let start = 0; start < count - length; start += stride) starts.push(start);
    starts.push(count - length);
    return { length, starts, share: (1 - whole) / (lengths.length * starts.length) };
  });
  return [...grid, { length: count, starts: [0], share: whole }];
}

/** All windows of the grid. */
export function triedWindows(evidence: Evidence, rule: Repeats, looks: number): Tried[] {
  const largest = evidence.weights.reduce((a, b) => Math.max(a, b), 0) || 1;
  const weights = evidence.weights.map((weight) => weight / largest);
  const mean = meanOf(evidence.law);
  const values = evidence.signal.map((value) => value - mean);
  const variance = varianceOf(evidence.law);
  const groups = new Groups(evidence.groups, rule);
  return windowGrid(weights.length).flatMap(({ length, starts, share }) => {
    const { excess, squares } = slidingSums(weights, values, groups, length);
    const own = share / looks;
    return starts.map((start): Tried => {
      const z = excess[start]! / Math.sqrt(variance * Math.max(squares[start]!, 1e-30));
      return { logP: logNormalTail(z) - Math.log(own), start, end: start + length, share: own };
    });
  });
}

/** The groups of a text's tokens, and what each token of one that has n in a window counts. */
class Groups {
  readonly count: number;
  /** By n; made once, as every window of every length asks for them. */
  readonly shares: Float64Array;

  constructor(
    readonly of: Int32Array,
    rule: Repeats,
  ) {
    this.count = of.reduce((a, b) => Math.max(a, b), -1) + 1;
    const sizes = new Int32Array(this.count);
    for (const group of of) sizes[group]!++;
    const most = sizes.reduce((a, b) => Math.max(a, b), 0);
    this.shares = Float64Array.from({ length: most + 1 }, (_, n) => (n ? shareOf(n, rule) : 0));
  }
}

/** Sums over groups of W times value, and of W**2, in each window; W is the weight of a group in the window. */
function slidingSums(
  weights: Float64Array,
  values: Float64Array,
  groups: Groups,
  length: number,
): { excess: Float64Array; squares: Float64Array } {
  const { count, of, shares } = groups;
  const sums = new Float64Array(count);
  const sizes = new Int32Array(count);
  const stakes = new Float64Array(count);
  const excess = new Float64Array(weights.length - length + 1);
  const squares = new Float64Array(excess.length);
  let total = 0;
  let square = 0;
  for (let n = 0; n < weights.length; n++) {
    const group = of[n]!;
    const size = ++sizes[group]!;
    const sum = sums[group]! + weights[n]!;
    sums[group] = sum;
    const old = stakes[group]!;
    const stake = sum * shares[size]!;
    stakes[group] = stake;
    square += (stake - old) * (stake + old);
    total += (stake - old) * values[n]!;
    const start = n + 1 - length;
    if (start < 0) continue;
    excess[start] = total;
    squares[start] = square;
    const gone = of[start]!;
    const left = --sizes[gone]!;
    sums[gone] = left ? sums[gone]! - weights[start]! : 0;
    const before = stakes[gone]!;
    const less = left ? sums[gone]! * shares[left]! : 0;
    stakes[gone] = less;
    square += (less - before) * (less + before);
    total += (less - before) * values[start]!;
  }
  return { excess, squares };
}
