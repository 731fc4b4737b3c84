/** The tail of the normal distribution. */

/** erfc(x), to about 1e-15 of it: by its Taylor series, or beyond 2 by Legendre's continued fraction (NIST 7.9.2). */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    let [term, sum] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
      term *= -(x * x) / n;
      sum += term / (2 * n + 1);
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * sum;
  }
  let tail = 0;
  for (let n = 120; n > 0; n--) tail = n / 2 / (x + tail);
  return Math.exp(-x * x) / ((x + tail) * Math.sqrt(Math.PI));
}

/** Log of P(N >= z), roughly beyond 30. */
export function logNormalTail(z: number): number {
  if (z > 30) return (-z * z) / 2 - Math.log(z * Math.sqrt(2 * Math.PI));
  return Math.log(erfc(z / Math.SQRT2) / 2);
}
