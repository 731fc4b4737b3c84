/** Made-up evidence of the portable hash, as scripts/write_vectors.py makes it. */
import { exponentialDraw, mix } from "../detector/hashing/mix";
import type { Law } from "../detector/law";
import type { Signals } from "../detector/statistics/grouped";

/** One of the file's `scores`. */
export interface MadeUp {
  law: Omit<Law, "largest">;
  seed: number;
  count: number;
  weights: number;
  repeats: number;
  lean: number;
}

/** Numbers of 32 bits, as the script makes them. */
export function numbers(seed: number, count: number): number[] {
  const wide = (BigInt(seed) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
  const words = { low: Number(wide & 0xffffffffn), high: Number(wide >> 32n) };
  return Array.from({ length: count }, (_, n) => mix(words, n));
}

/** The evidence. */
export function signalsOf({ law: said, seed, count, weights, repeats, lean }: MadeUp): Signals {
  const law: Law = { ...said, largest: 32 * Math.LN2 };
  const parts = law.parts.length;
  const numbered = numbers(seed, count).map((x) => x % Math.max(1, Math.floor(count / repeats)));
  const heavy = weights > 1 ? numbers(seed + 1, count).map((x) => (x % weights) + 1) : new Array<number>(count).fill(1);
  const drawn = numbers(seed + 2, count * parts);
  const draws = new Float64Array(count * parts);
  numbered.forEach((group, n) => {
    for (let d = 0; d < parts; d++) {
      const x = drawn[group * parts + d]!;
      const green = x < (law.gamma + (1 - law.gamma) * lean) * 2 ** 32 ? 1 : 0;
      draws[n * parts + d] = law.draws === "bernoulli" ? green : exponentialDraw(x, 32) * (1 + lean);
    }
  });
  return { draws, weights: Float64Array.from(heavy, (w) => w / 1000), groups: Int32Array.from(numbered), law };
}
