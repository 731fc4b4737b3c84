/** Tail of a weighted sum of many coins: exponential tilting and one transform (stela_core/statistics/tilted.py). */
import type { Coins, Tail } from "./convolution";
import { fastLength, realInverse, turnsOf } from "./fourier";

const NEGLIGIBLE = 46;
/** Squared height of a transform that adds nothing: exp(-100). */
const SILENT = 4e-44;

/** log P(S >= observed), S the sum over coins of value times green; never underflows. */
export function logTail(coins: Coins, observed: number, gamma: number): number {
  const { total, many } = sizeOf(coins);
  if (observed <= 0) return 0;
  if (observed > total) return -Infinity;
  if (observed === total) return many * Math.log(gamma);
  const { theta, scale, start, pmf } = tilted(coins, observed, gamma, total);
  let sum = 0;
  for (let s = Math.max(start, observed); s < start + pmf.length; s++) {
    sum += Math.exp(-theta * (s - observed)) * pmf[s - start]!;
  }
  return Math.min(0, scale + Math.log(Math.max(sum, 1e-300)));
}

/** P(S > observed) and P(S = observed), observed at least 1: as `convolved` gives them coin after coin. */
export function tiltedTie(coins: Coins, observed: number, gamma: number): Tail {
  const { total, many } = sizeOf(coins);
  if (observed > total) return { above: 0, tied: 0 };
  if (observed === total) return { above: 0, tied: gamma ** many };
  const { theta, scale, start, pmf } = tilted(coins, observed, gamma, total);
  let above = 0;
  for (let s = Math.max(start, observed + 1); s < start + pmf.length; s++) {
    above += Math.exp(-theta * (s - observed)) * pmf[s - start]!;
  }
  const height = Math.exp(scale);
  // Rounding leaves a noise of 1e-17 around 0.
  return { above: Math.min(1, height * above), tied: height * Math.max(0, pmf[observed - start] ?? 0) };
}

function sizeOf({ values, counts }: Coins): { total: number; many: number } {
  let [total, many] = [0, 0];
  values.forEach((value, d) => {
    total += value * counts[d]!;
    many += counts[d]!;
  });
  return { total, many };
}

/** The saddlepoint, the log of what tilted probabilities at `observed` are multiplied by, the first sum, and the probabilities. */
function tilted(coins: Coins, observed: number, gamma: number, total: number) {
  const { values, counts } = coins;
  const theta = saddlepoint(coins, observed, gamma);
  let [scale, mean, variance] = [theta * (total - observed), 0, 0];
  const greens = values.map((value, d) => {
    const red = (1 - gamma) * Math.exp(-theta * value);
    const green = gamma / (gamma + red);
    scale += counts[d]! * Math.log(gamma + red);
    mean += counts[d]! * green * value;
    variance += counts[d]! * green * (1 - green) * value * value;
    return green;
  });
  const [start, pmf] = massNear(coins, greens, mean, variance, total);
  return { theta, scale, start, pmf };
}

function saddlepoint({ values, counts }: Coins, observed: number, gamma: number): number {
  const mean = (theta: number): number =>
    values.reduce((sum, q, d) => sum + (counts[d]! * q * gamma) / (gamma + (1 - gamma) * Math.exp(-theta * q)), 0);
  if (mean(0) >= observed) return 0;
  let high = 1 / Math.max(...values);
  while (mean(high) < observed) high *= 2;
  let low = 0;
  for (let n = 0; n < 30; n++) {
    const middle = (low + high) / 2;
    if (mean(middle) < observed) low = middle;
    else high = middle;
  }
  return low;
}

/** First sum and probabilities of the sums around the mean that hold all mass but 1e-20 (Bernstein). */
function massNear(
  { values, counts }: Coins,
  tilted: readonly number[],
  mean: number,
  variance: number,
  total: number,
): [number, Float64Array] {
  const third = (NEGLIGIBLE * Math.max(...values)) / 3;
  const reach = third + Math.sqrt(third * third + 2 * NEGLIGIBLE * variance);
  const size = fastLength(Math.min(total + 1, 2 * Math.trunc(reach) + 2));
  const start = size > total ? 0 : Math.trunc(mean) - size / 2;
  const half = size / 2;
  const { turns } = turnsOf(size);
  // What many coins leave of a transform is nothing at nearly all frequencies: those are dropped, dearest coins first.
  // Those that are left stand close together, in the order of their frequencies.
  const heard = Int32Array.from({ length: half + 1 }, (_, k) => k);
  const real = new Float64Array(half + 1).fill(1);
  const imaginary = new Float64Array(half + 1);
  let count = heard.length;
  const spread = (d: number): number => counts[d]! * tilted[d]! * (1 - tilted[d]!);
  for (const d of [...values.keys()].sort((a, b) => spread(b) - spread(a))) {
    const [value, green, coins] = [values[d]!, tilted[d]!, counts[d]!];
    let kept = 0;
    for (let n = 0; n < count; n++) {
      const k = heard[n]!;
      const turn = (Math.imul(value, k) & (size - 1)) << 1; // a length is a power of two
      let x = 1 - green + green * turns[turn]!;
      let y = -green * turns[turn + 1]!;
      let a = real[n]!;
      let b = imaginary[n]!;
      for (let power = coins; power > 1; power >>= 1) {
        if (power & 1) {
          const product = a * x - b * y;
          b = a * y + b * x;
          a = product;
        }
        const square = x * x - y * y;
        y *= 2 * x;
        x = square;
      }
      const product = a * x - b * y;
      b = a * y + b * x;
      heard[kept] = k;
      real[kept] = product;
      imaginary[kept] = b;
      if (product * product + b * b > SILENT) kept++;
    }
    count = kept;
  }
  const re = new Float64Array(half + 1);
  const im = new Float64Array(half + 1);
  for (let n = 0; n < count; n++) {
    re[heard[n]!] = real[n]!;
    im[heard[n]!] = imaginary[n]!;
  }
  const wrapped = realInverse(re, im, size);
  const shift = ((start % size) + size) % size;
  const mass = new Float64Array(size);
  mass.set(wrapped.subarray(shift));
  mass.set(wrapped.subarray(0, shift), size - shift);
  return [start, mass];
}
