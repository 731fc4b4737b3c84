/** Sums in the order in which numpy takes them, so that what is rounded later is rounded alike. */

/** The sum of numbers, pairwise as `numpy.sum` of a contiguous array. */
export function sumOf(values: Float64Array): number {
  return pairwise(values, 0, values.length);
}

function pairwise(a: Float64Array, start: number, n: number): number {
  if (n < 8) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += a[start + i]!;
    return sum;
  }
  if (n <= 128) {
    const r = a.slice(start, start + 8);
    let i = 8;
    for (; i < n - (n % 8); i += 8) for (let j = 0; j < 8; j++) r[j]! += a[start + i + j]!;
    let sum = r[0]! + r[1]! + (r[2]! + r[3]!) + (r[4]! + r[5]! + (r[6]! + r[7]!));
    for (; i < n; i++) sum += a[start + i]!;
    return sum;
  }
  let half = n >> 1;
  half -= half % 8;
  return pairwise(a, start, half) + pairwise(a, start + half, n - half);
}

/** The inner product. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}
