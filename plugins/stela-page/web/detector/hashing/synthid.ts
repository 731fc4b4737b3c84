/**
 * SynthID-Text's hash of n-grams and its table of bits (plugins/stela-synthid: ngrams.py, layer_keys.py,
 * sampling_table.py). Its generator is one of 64 bits, of which a table is asked by the low ones: 32 are worked out here.
 */
import { sumOf } from "../statistics/sums";
import { InvalidProfile } from "../types";
import { mt19937 } from "./mt19937";
import { seedOf } from "./seeds";
import { keyWords } from "./words";

/** Low word of 6364136223846793005. */
const MULTIPLIER = 0x4c957f2d;

/** The hash of what was hashed so far and one id more. */
export function hashed(hash: number, id: number): number {
  return (Math.imul(hash + id, MULTIPLIER) + 1) >>> 0;
}

/** The number of an n-gram of this hash: where it is equal, so are the bits of all layers. */
export function coinOf(hash: number, size: number): number {
  return (Math.imul(hash, MULTIPLIER) & (size - 1)) >>> 0;
}

/** What each layer's key adds to a coin. Throws InvalidProfile where two layers of a key's own words have one draw. */
export function shiftsOf(hex: string, depth: number, derived: boolean, size: number): number[] {
  const words = keyWords(hex);
  if (words.length !== (derived ? 1 : depth)) throw new InvalidProfile("the profile's key is of another length than its hasher's");
  const keys = derived ? Array.from({ length: depth }, (_, layer) => seedOf(words[0]!, [layer]).low) : words.map(({ low }) => low);
  const shifts = keys.map((key) => ((Math.imul(key, MULTIPLIER) + 1) & (size - 1)) >>> 0);
  if (!derived && new Set(shifts).size < depth) {
    throw new InvalidProfile(`two layers have keys that are equal modulo the table's size, ${size}: their bits are one draw`);
  }
  return shifts;
}

const tables = new Map<string, Uint8Array>();

/** The public bits: `torch.randint(0, 2, (size,))` of a CPU generator; kept, as several profiles share it. */
export function samplingTable(seed: number, size: number): Uint8Array {
  const name = `${seed}/${size}`;
  let table = tables.get(name);
  if (!table) tables.set(name, (table = Uint8Array.from(mt19937(seed, size), (number) => number & 1)));
  return table;
}

/** Weights of the layers, which sum to 1: all alike, or falling evenly from 10 to 1 (layer_weights.py). */
export function layerWeights(layers: "weighted" | "mean", depth: number): number[] {
  const step = -9 / (depth - 1);
  const falling = Float64Array.from({ length: depth }, (_, n) => (layers === "mean" ? 1 : n && n === depth - 1 ? 1 : n ? n * step + 10 : 10));
  const total = sumOf(falling);
  return Array.from(falling, (weight) => weight / total);
}
