/** All windows of a text's grid with the z of a normal approximation (stela_core/detection/windows.py). */
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
  return windowGrid(weights.length).flatMap(({ length, starts, share }) => {
    const { excess, squares } = slidingSums(weights, values, evidence.groups, rule, length);
    const own = share / looks;
    return starts.map((start): Tried => {
      const z = excess[start]! / Math.sqrt(variance * Math.max(squares[start]!, 1e-30));
      return { logP: logNormalTail(z) - Math.log(own), start, end: start + length, share: own };
    });
  });
}

/** Sums over groups of W times value, and of W**2, in each window; W is the weight of a group in the window. */
function slidingSums(
  weights: Float64Array,
  values: Float64Array,
  groups: Int32Array,
  rule: Repeats,
  length: number,
): { excess: Float64Array; squares: Float64Array } {
  const count = groups.reduce((a, b) => Math.max(a, b), -1) + 1;
  const [sums, sizes, stakes] = [new Float64Array(count), new Int32Array(count), new Float64Array(count)];
  const excess = new Float64Array(weights.length - length + 1);
  const squares = new Float64Array(excess.length);
  let [total, square] = [0, 0];
  const change = (n: number, by: 1 | -1): void => {
    const group = groups[n]!;
    sizes[group]! += by;
    sums[group] = sizes[group] ? sums[group]! + by * weights[n]! : 0;
    const old = stakes[group]!;
    const stake = sizes[group] ? sums[group]! * shareOf(sizes[group]!, rule) : 0;
    stakes[group] = stake;
    square += (stake - old) * (stake + old);
    total += (stake - old) * values[n]!;
  };
  for (let n = 0; n < weights.length; n++) {
    change(n, 1);
    const start = n + 1 - length;
    if (start < 0) continue;
    excess[start] = total;
    squares[start] = square;
    change(start, -1);
  }
  return { excess, squares };
}
