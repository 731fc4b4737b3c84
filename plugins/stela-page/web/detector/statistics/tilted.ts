/** Tail of a weighted sum of many coins: exponential tilting and one transform (stela_core/statistics/tilted.py). */
import type { Coins } from "./convolution";
import { fastLength, realInverse } from "./fourier";

const NEGLIGIBLE = 46;

/** log P(S >= observed), S the sum over coins of value times green; never underflows. */
export function logTail(coins: Coins, observed: number, gamma: number): number {
  const { values, counts } = coins;
  let [total, many] = [0, 0];
  values.forEach((value, d) => {
    total += value * counts[d]!;
    many += counts[d]!;
  });
  if (observed <= 0) return 0;
  if (observed > total) return -Infinity;
  if (observed === total) return many * Math.log(gamma);
  const theta = saddlepoint(coins, observed, gamma);
  let [scale, mean, variance] = [theta * (total - observed), 0, 0];
  const tilted = values.map((value, d) => {
    const red = (1 - gamma) * Math.exp(-theta * value);
    const green = gamma / (gamma + red);
    scale += counts[d]! * Math.log(gamma + red);
    mean += counts[d]! * green * value;
    variance += counts[d]! * green * (1 - green) * value * value;
    return green;
  });
  const [start, pmf] = massNear(coins, tilted, mean, variance, total);
  let sum = 0;
  for (let s = Math.max(start, observed); s < start + pmf.length; s++) {
    sum += Math.exp(-theta * (s - observed)) * pmf[s - start]!;
  }
  return Math.min(0, scale + Math.log(Math.max(sum, 1e-300)));
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
  const cosines = Float64Array.from({ length: size }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
  const re = new Float64Array(half + 1).fill(1);
  const im = new Float64Array(half + 1);
  values.forEach((value, d) => {
    const green = tilted[d]!;
    for (let k = 0, turn = 0; k <= half; k++, turn = (turn + value) % size) {
      let x = 1 - green + green * cosines[turn]!;
      let y = green * sines[turn]!;
      let [a, b] = [re[k]!, im[k]!];
      for (let power = counts[d]!; ; ) {
        if (power & 1) [a, b] = [a * x - b * y, a * y + b * x];
        power >>= 1;
        if (!power) break;
        [x, y] = [x * x - y * y, 2 * x * y];
      }
      re[k] = a;
      im[k] = b;
    }
  });
  const wrapped = realInverse(re, im, size);
  const shift = ((start % size) + size) % size;
  return [start, Float64Array.from({ length: size }, (_, n) => wrapped[(n + shift) % size]!)];
}
