/** The Fourier transform back to real numbers, of lengths 2**k: fft.js. */
import FFT from "fft.js";

/** What a length needs: cosine and sine of each whole part of a turn, one after the other, and its transform. */
interface Known {
  readonly turns: Float64Array;
  readonly transform: FFT;
}

const known = new Map<number, Known>();

/** Cosines and sines are those of 2 pi k / size, k below `size`; kept, as the lengths of this page are few. */
export function turnsOf(size: number): Known {
  let made = known.get(size);
  if (!made) {
    const turns = new Float64Array(2 * size);
    for (let k = 0; k < size; k++) {
      const angle = (2 * Math.PI * k) / size;
      turns[2 * k] = Math.cos(angle);
      turns[2 * k + 1] = Math.sin(angle);
    }
    made = { turns, transform: new FFT(size) };
    known.set(size, made);
  }
  return made;
}

/** The power of two, at least 2, from `needed` on. */
export function fastLength(needed: number): number {
  let power = 2;
  while (power < needed) power *= 2;
  return power;
}

/** As `numpy.fft.irfft(re + i im, size)`: the real sequence whose transform at 0 .. size / 2 is given. */
export function realInverse(re: Float64Array, im: Float64Array, size: number): Float64Array {
  const { transform } = turnsOf(size);
  const half = size / 2;
  const [spectrum, out] = [new Float64Array(2 * size), new Float64Array(2 * size)];
  for (let k = 0; k <= half; k++) {
    spectrum[2 * k] = re[k]!;
    spectrum[2 * k + 1] = k === 0 || k === half ? 0 : im[k]!;
  }
  transform.completeSpectrum(spectrum);
  transform.inverseTransform(out, spectrum);
  return transform.fromComplexArray(out, new Float64Array(size));
}
