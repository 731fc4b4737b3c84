/** How often a marked text like this one is found (stela_detection/power/expected.py, power.py). */
import type { Marked } from "../types";
import { grouped, type Repeats, type Signals } from "./grouped";
import { logNormalTail } from "./normal";
import { dot, sumOf } from "./sums";

/** Points of a standard normal distribution, and their shares: Gauss and Hermite's of 5. */
const NODES = [-2.8569700138728056, -1.355626179974266, 0, 1.355626179974266, 2.8569700138728056];
const SHARES = [0.011257411327720677, 0.22207592200561257, 0.5333333333333335, 0.22207592200561257, 0.011257411327720677];

const UNITS = 1024;
/** The sum of weights is divided into so many. */
const MOST_COINS = 512;
/** More are normal. */
const CERTAIN = 3.5;
/** So many standard deviations beyond the threshold, a normal distribution will do for `MANY` coins. */
const MANY = 64;

/** Of a text's evidence as all tests that have to agree weigh it; undefined where nothing is known of such marks. */
export function powerOf(tests: readonly Signals[], repeats: Repeats, alpha: number, { gains, freedom }: Marked): number | undefined {
  if (!gains && !freedom) return undefined;
  const each = tests.map((signals) => {
    const stakes = grouped(signals, repeats).stakes.filter((stake) => stake > 0);
    if (!stakes.length) return 0;
    return gains ? ofChoice(stakes, alpha, gains) : ofCoins(stakes, alpha, signals.law.gamma, freedom!);
  });
  return Math.min(...each);
}

/** The z that a normal number exceeds with probability alpha. */
function exceeded(alpha: number): number {
  const log = Math.log(Math.max(alpha, 5e-324));
  let [low, high] = [-40, 40];
  for (let n = 0; n < 80; n++) {
    const middle = (low + high) / 2;
    if (logNormalTail(middle) > log) low = middle;
    else high = middle;
  }
  return low;
}

function below(z: number): number {
  return Math.exp(logNormalTail(-z));
}

/** The signals' sum is normal; the null's threshold is corrected for its skewness. */
function ofChoice(stakes: Float64Array, alpha: number, [mean, sd, spread, skewness]: NonNullable<Marked["gains"]>): number {
  const [total, squares] = [sumOf(stakes), dot(stakes, stakes)];
  const least = exceeded(alpha);
  const skewed = (skewness * sumOf(stakes.map((stake) => stake ** 3))) / squares ** 1.5;
  const reach = (mean * total) / Math.sqrt(squares) - least - (skewed * (least * least - 1)) / 6;
  return below(reach / Math.sqrt(sd * sd + (spread * spread * total * total) / squares));
}

/** Coins that are all green as often, under five freedoms of the text. */
function ofCoins(stakes: Float64Array, alpha: number, gamma: number, [bias, mean, spread]: NonNullable<Marked["freedom"]>): number {
  const gain = gamma / (gamma + (1 - gamma) * Math.exp(-bias)) - gamma;
  const chances = NODES.map((node) => Math.min(1, gamma + Math.max(0, mean + spread * node) * gain));
  const largest = Math.max(...stakes);
  const weights = stakes.map((stake) => stake / largest);
  const [total, squares] = [sumOf(weights), dot(weights, weights)];
  const least = gamma * total + exceeded(alpha) * Math.sqrt(gamma * (1 - gamma) * squares);
  const reach = chances.map((chance) => (chance * total - least) / Math.max(1e-12, Math.sqrt(chance * (1 - chance) * squares)));
  const isNormal = weights.length > MOST_COINS || (weights.length >= MANY && Math.min(...reach) > CERTAIN);
  return dot(isNormal ? reach.map(below) : exactly(weights, total, alpha, gamma, chances), SHARES);
}

/** By the distributions of the weighted count. */
function exactly(weights: Float64Array, total: number, alpha: number, gamma: number, chances: readonly number[]): number[] {
  const smallest = Math.min(...weights);
  const steps = weights.map((weight) => Math.round(weight / smallest));
  const isStepped = weights.every((weight, n) => Math.abs(weight / smallest - steps[n]!) <= 1e-9 / smallest) && sumOf(steps) <= UNITS;
  const units = isStepped ? steps : weights.map((weight) => Math.round((weight / total) * UNITS));
  const unmarked = tailsOf(units, gamma);
  const at = unmarked.findIndex((tail) => tail <= alpha);
  const least = at < 0 ? unmarked.length : at;
  const above = unmarked[least] ?? 0;
  return chances.map((chance) => {
    const tails = tailsOf(units, chance);
    const reached = tails[least] ?? 0;
    if (isStepped || !least) return reached;
    // The step that rounding makes at the threshold is divided: the test has exactly the size alpha.
    const share = (alpha - above) / (unmarked[least - 1]! - above);
    return Math.min(1, reached + (tails[least - 1]! - reached) * share);
  });
}

/** P(count >= s) for each s. */
function tailsOf(units: Float64Array, chance: number): Float64Array {
  const sums = new Float64Array(sumOf(units) + 1);
  sums[0] = 1;
  let top = 0;
  for (const unit of units) {
    for (let s = top; s >= 0; s--) {
      const moved = sums[s]! * chance;
      sums[s]! -= moved;
      sums[s + unit]! += moved;
    }
    top += unit;
  }
  for (let s = top; s > 0; s--) sums[s - 1]! += sums[s]!;
  return sums;
}
