/** The exact p-value of a weighted count of green coins (stela_core/statistics/p_value.py). */
import { type Coins, commonest, convolved, listedTie, SMALLEST } from "./convolution";
import { toLattice } from "./lattice";
import { shareAtLeast } from "./ties";
import { logTail, tiltedTie } from "./tilted";

const LISTED = Math.log(2000);
/** Additions from which on Python tells no ties apart, so that the page does not. */
const WORK = 40_000_000;
/** Additions that take longer here than a transform, which gives the same to 1e-11. */
const DEAR = 1_000_000;

/** P(count at least as large as this one); `split`: equal counts are told apart by which coins are green. */
export function coinsTail(green: readonly boolean[], weights: Float64Array, gamma: number, split: boolean): number {
  const kept = [...weights.keys()].filter((n) => weights[n]! > 0);
  if (!kept.length) return 1;
  const lattice = toLattice(Float64Array.from(kept, (n) => weights[n]!));
  return latticeTail(lattice, kept.map((n) => green[n]!), gamma, split);
}

/** The same of whole weights of at least 0, not all of them 0. */
export function latticeTail(lattice: Int32Array, colours: readonly boolean[], gamma: number, split: boolean): number {
  const observed = lattice.reduce((sum, value, n) => sum + (colours[n] ? value : 0), 0);
  if (observed <= 0) return 1;
  const coins = coinsOf(lattice);
  return Math.min(1, Math.max(SMALLEST, tail(coins, lattice, colours, observed, gamma, split)));
}

/** The smallest p-value that coins of these weights could have: of all green. */
export function leastCoinsTail(weights: Float64Array, gamma: number): number {
  const positive = weights.filter((weight) => weight > 0);
  if (!positive.length) return 1;
  return Math.max(SMALLEST, gamma ** toLattice(positive).filter((value) => value > 0).length);
}

function tail(
  coins: Coins,
  lattice: Int32Array,
  colours: readonly boolean[],
  observed: number,
  gamma: number,
  split: boolean,
): number {
  const work = workOf(coins);
  if (work > WORK) return Math.exp(Math.max(-700, logTail(coins, observed, gamma)));
  if (!split) {
    if (work > DEAR) return Math.exp(Math.max(-700, logTail(coins, observed, gamma)));
    return convolved(coins, observed, observed, gamma).above;
  }
  const choices = coins.counts.map((count) => Math.log(count + 1));
  const few = choices.reduce((a, b) => a + b, 0) - Math.max(...choices) <= LISTED;
  const { above, tied } = few
    ? listedTie(coins, observed, gamma)
    : work > DEAR
      ? tiltedTie(coins, observed, gamma)
      : convolved(coins, observed + 1, observed, gamma);
  const common = coins.values[commonest(coins)]!;
  const share = shareAtLeast(colours.filter((_, n) => lattice[n] === common));
  return above + tied * share;
}

function coinsOf(lattice: Int32Array): Coins {
  const counted = new Map<number, number>();
  for (const value of lattice) if (value > 0) counted.set(value, (counted.get(value) ?? 0) + 1);
  const values = [...counted.keys()].sort((a, b) => a - b);
  return { values, counts: values.map((value) => counted.get(value)!) };
}

function workOf({ values, counts }: Coins): number {
  const many = counts.reduce((a, b) => a + b, 0);
  const total = values.reduce((sum, value, d) => sum + value * counts[d]!, 0);
  return Math.floor(((many - Math.max(...counts)) * total) / 2);
}
