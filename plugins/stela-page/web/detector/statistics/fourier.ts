/** The Fourier transform back to real numbers, of lengths 2**k and 3 * 2**k. */

/** Cosines and sines of whole parts of a turn. */
export interface Turns {
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

const known = new Map<number, Turns>();

/** Those of 2 pi k / size, k below `size`; kept, as the lengths of this page are few. */
export function turnsOf(size: number): Turns {
  let turns = known.get(size);
  if (!turns) {
    turns = { cosines: new Float64Array(size), sines: new Float64Array(size) };
    for (let k = 0; k < size; k++) {
      turns.cosines[k] = Math.cos((2 * Math.PI * k) / size);
      turns.sines[k] = Math.sin((2 * Math.PI * k) / size);
    }
    known.set(size, turns);
  }
  return turns;
}

/** An even length of at least `needed` that is 2**k or 3 * 2**k. */
export function fastLength(needed: number): number {
  let power = 2;
  while (power < needed) power *= 2;
  const shorter = (3 * power) / 4;
  return shorter >= needed && shorter % 2 === 0 ? shorter : power;
}

/**
 * As `numpy.fft.irfft(re + i im, size)`: the real sequence whose transform at 0 .. size / 2 is given.
 * A length of three times a power of two is three transforms of a third of it.
 */
export function realInverse(re: Float64Array, im: Float64Array, size: number): Float64Array {
  const half = size / 2;
  const [fullRe, fullIm] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0; k <= half; k++) {
    const edge = k === 0 || k === half;
    fullRe[k] = re[k]!;
    fullIm[k] = edge ? 0 : im[k]!;
    if (!edge) {
      fullRe[size - k] = re[k]!;
      fullIm[size - k] = -im[k]!;
    }
  }
  const out = size % 3 ? inverse(fullRe, fullIm) : inverseOfThree(fullRe, fullIm);
  return out.map((x) => x / size);
}

/** Real part of the sum over k of X_k exp(2 pi i k n / size), size = 3 m: of each third's transform. */
function inverseOfThree(re: Float64Array, im: Float64Array): Float64Array {
  const size = re.length;
  const m = size / 3;
  const thirds = [0, 1, 2].map((r) => {
    const partRe = Float64Array.from({ length: m }, (_, k) => re[3 * k + r]!);
    const partIm = Float64Array.from({ length: m }, (_, k) => im[3 * k + r]!);
    transform(partRe, partIm);
    return [partRe, partIm] as const;
  });
  const { cosines, sines } = turnsOf(size);
  const out = new Float64Array(size);
  for (let n = 0; n < size; n++) {
    for (let r = 0; r < 3; r++) {
      const turn = (n * r) % size;
      out[n]! += thirds[r]![0][n % m]! * cosines[turn]! - thirds[r]![1][n % m]! * sines[turn]!;
    }
  }
  return out;
}

function inverse(re: Float64Array, im: Float64Array): Float64Array {
  transform(re, im);
  return re;
}

/** In place, sum over k of X_k exp(+2 pi i k n / size), size a power of two (Cooley and Tukey 1965). */
function transform(re: Float64Array, im: Float64Array): void {
  const size = re.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j]!, re[i]!];
      [im[i], im[j]] = [im[j]!, im[i]!];
    }
  }
  const { cosines, sines } = turnsOf(size);
  for (let length = 2; length <= size; length *= 2) {
    const half = length / 2;
    const stride = size / length;
    for (let start = 0; start < size; start += length) {
      for (let k = 0; k < half; k++) {
        const [a, b] = [start + k, start + k + half];
        const [c, s] = [cosines[k * stride]!, sines[k * stride]!];
        const x = re[b]! * c - im[b]! * s;
        const y = re[b]! * s + im[b]! * c;
        re[b] = re[a]! - x;
        im[b] = im[a]! - y;
        re[a]! += x;
        im[a]! += y;
      }
    }
  }
}
