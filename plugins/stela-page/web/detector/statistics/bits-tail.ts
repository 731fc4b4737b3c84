/**
 * The exact tail of a weighted sum of very many bits, several for each token (stela_core/statistics/law.py, which
 * has the formula and its source).
 */
import { latticeTail } from "./coins-tail";
import { SMALLEST } from "./convolution";
import { toLattice } from "./lattice";
import { dot } from "./sums";

const NEGLIGIBLE = 50;

/** P(weighted sum of bits at least as large as this one); `split`: equal sums of equal weights are told apart. */
export function bitsTail(bits: readonly boolean[], weights: Float64Array, gamma: number, split: boolean): number {
  const kept = [...weights.keys()].filter((n) => weights[n]! > 0);
  if (!kept.length) return 1;
  const lattice = toLattice(Float64Array.from(kept, (n) => weights[n]!), 1);
  const counts = new Map<number, number>();
  let observed = 0;
  lattice.forEach((value, n) => {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (bits[kept[n]!]) observed += value;
  });
  if (counts.size === 1) return latticeTail(lattice, kept.map((n) => bits[n]!), gamma, split);
  const values = [...counts.keys()].filter((value) => value > 0).sort((a, b) => a - b);
  const log = logBitsTail(values, values.map((value) => counts.get(value)!), observed, gamma);
  return Math.min(1, Math.max(SMALLEST, Math.exp(Math.max(-700, log))));
}

/** The smallest that bits of these weights could have: of all ones. */
export function leastBitsTail(weights: Float64Array, gamma: number): number {
  const positive = weights.filter((weight) => weight > 0);
  if (!positive.length) return 1;
  return Math.max(SMALLEST, gamma ** toLattice(positive, 1).filter((value) => value > 0).length);
}

/** log P(S >= observed), S the sum over bits of value times bit; never underflows. */
export function logBitsTail(values: readonly number[], counts: readonly number[], observed: number, gamma: number): number {
  const total = dot(values, counts);
  const many = counts.reduce((a, b) => a + b, 0);
  if (observed <= 0) return 0;
  if (observed > total) return -Infinity;
  if (observed === total) return many * Math.log(gamma);
  const theta = saddlepoint(values, counts, observed, gamma);
  const reds = values.map((value) => (1 - gamma) * Math.exp(-theta * value));
  const tilted = reds.map((red) => gamma / (gamma + red));
  const scale = theta * (total - observed) + dot(counts, reds.map((red) => Math.log(gamma + red)));
  const spread = tilted.map((p) => p * (1 - p));
  const [start, size] = windowOf(values, counts, tilted, spread, total);
  const first = Math.max(start, observed);
  const terms = start + size - first;
  const turn = (2 * Math.PI) / size;
  let sum = 0;
  heard(values, counts, spread, size).forEach(([k, log]) => {
    // In whole turns, so that the phase of a large sum loses nothing.
    let phase = -turn * ((k * first) % size);
    values.forEach((value, d) => {
      const angle = turn * ((k * value) % size);
      phase += counts[d]! * Math.atan2(tilted[d]! * Math.sin(angle), 1 - tilted[d]! + tilted[d]! * Math.cos(angle));
    });
    const [re, im] = geometric(theta, turn * k, terms);
    const height = Math.exp(log) * (re * Math.cos(phase) - im * Math.sin(phase));
    // `size` is odd: each frequency but 0 stands for its conjugate, too.
    sum += k ? 2 * height : height;
  });
  return Math.min(0, scale - theta * (first - observed) + Math.log(Math.max(sum / size, 1e-300)));
}

/** The sum over s below `terms` of exp(-s (theta + i turn)). */
function geometric(theta: number, turn: number, terms: number): [re: number, im: number] {
  if (theta === 0 && turn === 0) return [terms, 0];
  const [a, b] = expm1(-terms * theta, -terms * turn);
  const [c, d] = expm1(-theta, -turn);
  const size = c * c + d * d;
  return [(a * c + b * d) / size, (b * c - a * d) / size];
}

/** exp(x + i y) - 1. */
function expm1(x: number, y: number): [re: number, im: number] {
  const half = Math.sin(y / 2);
  return [Math.expm1(x) * Math.cos(y) - 2 * half * half, Math.exp(x) * Math.sin(y)];
}

/** Frequencies k <= size / 2, 0 first, at which the transform is not negligible, and its log height there. */
function heard(values: readonly number[], counts: readonly number[], spread: readonly number[], size: number): [number, number][] {
  const half = (size - 1) / 2;
  let kept = Int32Array.from({ length: half + 1 }, (_, k) => k);
  let logs = new Float64Array(half + 1);
  const order = [...values.keys()].sort((a, b) => counts[b]! * spread[b]! - counts[a]! * spread[a]! || a - b);
  for (const d of order) {
    let count = 0;
    for (let n = 0; n < kept.length; n++) {
      const sine = Math.sin((Math.PI / size) * ((kept[n]! * values[d]!) % size));
      const log = logs[n]! + 0.5 * counts[d]! * Math.log(Math.max(1 - 4 * spread[d]! * sine * sine, SMALLEST));
      if (log <= -NEGLIGIBLE) continue;
      kept[count] = kept[n]!;
      logs[count++] = log;
    }
    kept = kept.subarray(0, count);
    logs = logs.subarray(0, count);
  }
  return Array.from(kept, (k, n): [number, number] => [k, logs[n]!]);
}

/** First sum and (odd) number of sums that hold all of the tilted mass but exp(-50), by Bernstein. */
function windowOf(
  values: readonly number[],
  counts: readonly number[],
  tilted: readonly number[],
  spread: readonly number[],
  total: number,
): [start: number, size: number] {
  const mean = dot(counts, tilted.map((p, d) => p * values[d]!));
  const variance = dot(counts, spread.map((one, d) => one * values[d]! * values[d]!));
  const third = (NEGLIGIBLE * Math.max(...values)) / 3;
  const reach = Math.trunc(third + Math.sqrt(third * third + 2 * NEGLIGIBLE * variance)) + 1;
  if (2 * reach >= total) return [0, (total + 1) | 1];
  return [Math.trunc(mean) - reach, 2 * reach + 1];
}

/** Theta >= 0 with a tilted mean near `observed`; 0 where the mean is larger as it is. Newton. */
function saddlepoint(values: readonly number[], counts: readonly number[], observed: number, gamma: number): number {
  let [theta, low, high] = [0, 0, Infinity];
  for (let n = 0; n < 60; n++) {
    let [mean, variance] = [0, 0];
    values.forEach((value, d) => {
      const tilted = gamma / (gamma + (1 - gamma) * Math.exp(-theta * value));
      mean += counts[d]! * value * tilted;
      variance += counts[d]! * value * value * tilted * (1 - tilted);
    });
    const missing = observed - mean;
    if (missing <= 0) {
      if (theta === 0) return 0;
      high = theta;
    } else {
      low = theta;
    }
    if (missing * missing <= 1e-3 * variance) break;
    theta += variance ? missing / variance : Infinity;
    if (!(low < theta && theta < high)) theta = high < Infinity ? (low + high) / 2 : 2 * low + 1 / Math.max(...values);
  }
  return theta;
}
