/**
 * Bromwich's integral along a hyperbola through the saddlepoint, by the trapezoidal rule.
 * The formulas and their sources are those of stela_core/statistics/exponential.py.
 */

const SINE = 0.5;
const COSINE = Math.sqrt(0.75);
const BLOCK = 8;
const NEGLIGIBLE = 1e-17;
const NEAR = 4;
const AGREED = 1e-8;

/** Logarithm of the integral along the hyperbola through `centre`. */
export function logIntegral(means: readonly number[], many: readonly number[], sum: number, centre: number): number {
  const r = means.map((a) => a / (1 - centre * a));
  let [second, third] = [0, 0];
  r.forEach((x, d) => {
    second += many[d]! * x * x;
    third += 2 * many[d]! * x * x * x;
  });
  if (centre < 0) third -= 2 / centre ** 3;
  const curve = second + 1 / centre ** 2;
  const scale = (2 * (centre > 0 ? second : curve)) / third;
  const width = 1 / (Math.sqrt(curve) * scale * COSINE);
  let step = Math.min(1, 1.1 * width);
  /** Real part and squared height of the integrand at a node. */
  const at = (node: number): [number, number] => {
    const [sinh, cosh] = [Math.sinh(step * node), Math.cosh(step * node)];
    const right = scale * SINE * (cosh - 1);
    const up = scale * COSINE * sinh;
    let [log, turn] = [-sum * right, -sum * up];
    for (let d = 0; d < r.length; d++) {
      const x = 1 - right * r[d]!;
      const y = up * r[d]!;
      log -= 0.5 * many[d]! * Math.log(x * x + y * y);
      turn += many[d]! * Math.atan2(y, x);
    }
    const height = Math.exp(log);
    const [re, im] = [height * Math.cos(turn), height * Math.sin(turn)];
    // times scale (COSINE cosh - i SINE sinh) / (1 + (right + i up) / centre)
    const [a, b] = [1 + right / centre, up / centre];
    const [c, s] = [scale * COSINE * cosh, -scale * SINE * sinh];
    const size = a * a + b * b;
    const [u, v] = [(c * a + s * b) / size, (s * a - c * b) / size];
    return [re * u - im * v, height * Math.hypot(u, v)];
  };
  let known = 0;
  let total = 0;
  let smallest = 0;
  for (let last = Infinity; last > smallest; ) {
    for (let n = 0; n < BLOCK; n++, known++) {
      const [real, height] = at(known);
      total += known ? real : 0.5 * real;
      if (!known) smallest = NEGLIGIBLE * height;
      last = height;
    }
  }
  const height = logHeight(means, many, sum, centre);
  const pole = Math.abs(centre) * Math.sqrt(curve) < NEAR ? distanceOfZero(centre, scale) : undefined;
  const integral = (): number => {
    const byRule = (total * step) / Math.PI;
    if (pole === undefined) return byRule;
    return byRule - Math.exp(-height) / Math.expm1(Math.min(700, (2 * Math.PI * pole) / step));
  };
  let fine = integral();
  for (let n = 0; n < 12; n++) {
    const coarse = fine;
    for (let k = 0; k < known; k++) total += at(k + 0.5)[0];
    step /= 2;
    known *= 2;
    fine = integral();
    if (Math.abs(fine - coarse) <= AGREED * fine) break;
  }
  return height + Math.log(fine);
}

/** log M(c) - s c - log |c|, so written near 0 that large sums do not cancel. */
function logHeight(means: readonly number[], many: readonly number[], sum: number, centre: number): number {
  let height = 0;
  if (Math.abs(centre) < 0.5) {
    let mean = 0;
    means.forEach((a, d) => {
      height -= many[d]! * (Math.log1p(-centre * a) + centre * a);
      mean += a * many[d]!;
    });
    height -= centre * (sum - mean);
  } else {
    means.forEach((a, d) => (height -= many[d]! * Math.log1p(-centre * a)));
    height -= centre * sum;
  }
  return height - Math.log(Math.abs(centre));
}

/** Where on the imaginary axis of u the contour's map meets the pole at 0; undefined where it does not. */
function distanceOfZero(centre: number, scale: number): number | undefined {
  const sine = SINE - centre / scale;
  return Math.abs(sine) < 1 ? Math.abs(Math.asin(SINE) - Math.asin(sine)) : undefined;
}
