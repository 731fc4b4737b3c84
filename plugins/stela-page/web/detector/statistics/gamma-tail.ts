/** The tail of a sum of equal exponentials, accurate at every depth (stela_core/statistics/gamma_tail.py). */

const NEGLIGIBLE = 41;

/** log P(E_1 + .. + E_n >= x), E_i independent Exp(1); never underflows. */
export function logGammaTail(count: number, observed: number): number {
  if (observed <= 0) return 0;
  const length = Math.trunc(NEGLIGIBLE + Math.sqrt(NEGLIGIBLE * (NEGLIGIBLE + 2 * count))) + 2;
  const above = observed > count;
  let [term, sum] = [1, 1];
  for (let j = 1; j < (above ? Math.min(length, count) : length); j++) {
    term *= above ? (count - j) / observed : observed / (count + j);
    sum += term;
  }
  if (above) return logPoisson(count - 1, observed) + Math.log(sum);
  return Math.log1p(-Math.min(Math.exp(logPoisson(count, observed)) * sum, 1 - 1e-16));
}

/** log(exp(-mean) mean^k / k!) by Loader's (2000) formula. */
function logPoisson(k: number, mean: number): number {
  if (k === 0) return -mean;
  const excess = (mean - k) / k;
  const ratio = excess > -0.5 ? Math.log1p(excess) : Math.log(mean / k);
  return k * (ratio - excess) - stirlingError(k) - 0.5 * Math.log(2 * Math.PI * k);
}

/** log k! minus Stirling's formula. */
function stirlingError(k: number): number {
  if (k < 16) {
    let factorial = 1;
    for (let n = 2; n <= k; n++) factorial *= n;
    return Math.log(factorial) - (k + 0.5) * Math.log(k) + k - 0.5 * Math.log(2 * Math.PI);
  }
  const square = 1 / (k * k);
  return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / k;
}
