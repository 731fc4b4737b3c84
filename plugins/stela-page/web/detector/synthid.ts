/** The hasher of SynthID-Text: a bit a layer for each token (plugins/stela-synthid/stela_synthid/hasher.py). */
import type { Coin, HasherPart } from "./hashers";
import { coinOf, hashed, layerWeights, samplingTable, shiftsOf } from "./hashing/synthid";
import type { Law } from "./law";
import { InvalidProfile, UnsupportedProfile } from "./types";

/** As the profile's parameters say, or as they are where it says nothing. */
interface Settings {
  depth: number;
  derived: boolean;
  layers: "weighted" | "mean";
  table_seed: number;
  table_size: number;
  skip_first: boolean;
}

const DEFAULTS: Settings = { depth: 30, derived: true, layers: "weighted", table_seed: 0, table_size: 1 << 16, skip_first: false };

/** What parameters say, with their defaults. */
export function settingsOf(parameters: Record<string, unknown>): Settings {
  return { ...DEFAULTS, ...parameters } as Settings;
}

/** What `hasherOf` makes of a profile's part. Throws UnsupportedProfile. */
export function synthid(part: HasherPart, parameters: Record<string, unknown>) {
  const { depth, derived, layers, table_seed, table_size: size, skip_first } = settingsOf(parameters);
  if (!Number.isSafeInteger(table_seed)) throw new UnsupportedProfile("the seed of the mark's table is a larger number than a browser's");
  if ((size & (size - 1)) !== 0) throw new InvalidProfile(`hasher "synthid": table_size: value error, is not a power of two (got ${size})`);
  const table = samplingTable(table_seed, size);
  const share = table.reduce((sum, bit) => sum + bit, 0) / size;
  const law: Law = { draws: "bernoulli", gamma: share, parts: layerWeights(layers, depth), largest: 1 };
  const under = (hex: string) => {
    const shifts = shiftsOf(hex, depth, derived, size);
    return (context: readonly number[]): Coin => {
      const seed = context.reduce(hashed, 1);
      const coin = (token: number): number => coinOf(hashed(seed, token), size);
      return {
        name: `${seed}`,
        draws: (token) => shifts.map((shift) => table[(coin(token) + shift) & (size - 1)]!),
        drawOf: (token) => `${coin(token)}`,
      };
    };
  };
  const words = derived ? 1 : depth;
  const padding = 0;
  return { law, width: part.context_width, padded: !skip_first, padding, firstOnly: true, mostContexts: Infinity, words, under };
}
