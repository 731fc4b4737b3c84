/** Hashers: hash context and token to what a mark draws for the token. */
import { exponentialDraw, mix, threshold } from "./hashing/mix";
import { seedsUnder } from "./hashing/seeds";
import { murmur, sglangNumber, takesA } from "./hashing/sglang";
import { derivedKeys, VLLM_BITS, vllmNumber, vllmState } from "./hashing/vllm";
import { keyWords, type Words } from "./hashing/words";
import type { Law } from "./law";
import type { Signal } from "./messages/scores";
import { synthid } from "./synthid";
import { textgrain } from "./textgrain";
import { UnsupportedProfile } from "./types";

/** What a profile says of its hasher, but for the key. */
export interface HasherPart {
  readonly name: string;
  readonly gamma?: number | null;
  readonly context_width: number;
  readonly parameters?: Record<string, unknown>;
}

/** Draws for tokens behind one hash context. */
export interface Coin {
  /** Equal where the draws of equal tokens are one for certain: a text, or the seed that they are of. */
  readonly name: string | Words;
  /** The draws of a token, one for each part of the law. */
  draws(token: number): number[];
  /** Where tokens behind other contexts, or other tokens, may have the same draws for certain: equal where they do. */
  drawOf?(token: number): string;
}

/** A hasher without its key. */
export interface Hasher {
  readonly law: Law;
  /** Ids of a hash context. */
  readonly width: number;
  /** Whether `padding` stands in front of a text's first token; else tokens without a whole context are not scored. */
  readonly padded: boolean;
  /** -1 where it is none. */
  readonly padding?: number;
  /** Whether a context that came before in the text is scored again. */
  readonly firstOnly: boolean;
  /** With firstOnly: how many contexts are scored. */
  readonly mostContexts: number;
  /** 64-bit words of a key. */
  readonly words: number;
  /** What a context, oldest id first, draws under a key of hex digits. */
  under(key: string): (context: readonly number[]) => Coin;
  /** Of a hasher that mixes the seed of a context with the token: its seeds can carry a message. */
  readonly mixing?: Mixing;
}

/** What such a hasher makes of seeds. */
export interface Mixing {
  /** The seed of a context under a key of hex digits. */
  seeds(key: string): (context: readonly number[]) => Words;
  /** What a number of `mix` draws. */
  draw(number: number): number;
  /** The same to single precision, for all values of a message. */
  readonly signal: Signal;
}

const EXPONENTIAL = { draws: "exponential", gamma: 0.5, parts: [1] } as const;
/** The law of a draw of 32 bits. */
export const NOISE = { ...EXPONENTIAL, largest: 32 * Math.LN2 } as const;
const FAIR = { draws: "bernoulli", gamma: 0.5, parts: [1], largest: 1 } as const;

/** The hasher that a profile names. */
export function hasherOf(part: HasherPart): Hasher {
  const make = HASHERS.get(part.name);
  if (!make) throw new UnsupportedProfile(`the mark's hasher "${part.name}" does not run in the browser`);
  return make(part, part.parameters ?? {});
}

type Made = (part: HasherPart, parameters: Record<string, unknown>) => Hasher;

const HASHERS: ReadonlyMap<string, Made> = new Map(Object.entries<Made>({
  keyed: (part) => greenList(part),
  unigram: (part) => greenList({ ...part, context_width: 0 }),
  gumbel: (part, parameters) => ({
    ...once(part, parameters, NOISE),
    ...mixed((number) => exponentialDraw(number, 32), "exponential"),
  }),
  // A noise of Gumbel's and one of Exp(1) are the same evidence.
  pf: (part, parameters) => ({
    ...once(part, parameters, NOISE),
    under: drawn((number) => exponentialDraw(number, 32)),
  }),
  coupling: (part, parameters) => ({
    ...once(part, parameters, FAIR),
    under: drawn((number) => (number >= 2 ** 31 ? 1 : 0)),
  }),
  textgrain,
  "gumbel-vllm": (part, parameters) => vllm(part, parameters, [1], (key) => [key]),
  "gumbel-vllm-dual": (part, parameters) => {
    const alpha = (parameters["alpha"] as number | undefined) ?? 0.1;
    return vllm(part, parameters, [1 - alpha, alpha], derivedKeys);
  },
  synthid,
  "gumbel-sglang": (part, parameters) => {
    const mixing = (parameters["mixing_probability"] as number | null | undefined) ?? null;
    return {
      ...plain(part, NOISE),
      firstOnly: true,
      mostContexts: 4096,
      words: mixing === null ? 1 : 2,
      under: (hex) => {
        const [a, b] = keyWords(hex);
        return (context) => {
          const hash = murmur(context);
          const key = mixing === null || takesA(a!, b!, hash, mixing) ? a! : b!;
          return { name: `${hash}`, draws: (token) => [exponentialDraw(sglangNumber(key, hash, token), 32)] };
        };
      },
    };
  },
}));

/** A hasher of whole contexts, each scored again. */
export function plain(part: HasherPart, law: Law): Omit<Hasher, "under"> {
  return { law, width: part.context_width, padded: false, firstOnly: false, mostContexts: Infinity, words: 1 };
}

function once(part: HasherPart, parameters: Record<string, unknown>, law: Law): Omit<Hasher, "under"> {
  return { ...plain(part, law), firstOnly: parameters["once"] !== false };
}

function greenList(part: HasherPart): Hasher {
  const gamma = part.gamma ?? 0.5;
  const below = threshold(gamma);
  return {
    ...plain(part, { draws: "bernoulli", gamma, parts: [1], largest: 1 }),
    ...mixed((number) => (number < below ? 1 : 0), { below }),
  };
}

function mixed(draw: (number: number) => number, signal: Signal): Pick<Hasher, "under" | "mixing"> {
  return { under: drawn(draw), mixing: { seeds: seedsOf, draw, signal } };
}

function seedsOf(hex: string): (context: readonly number[]) => Words {
  return seedsUnder(oneKey(hex));
}

function drawn(draw: (number: number) => number): Hasher["under"] {
  return drawnUnder((seed) => (token) => draw(mix(seed, token)));
}

/** What a context draws, of what its seed makes of a token. */
export function drawnUnder(draws: (seed: Words) => (token: number) => number): Hasher["under"] {
  return (hex) => {
    const seedAfter = seedsOf(hex);
    return (context) => {
      const seed = seedAfter(context);
      const draw = draws(seed);
      return { name: seed, draws: (token) => [draw(token)] };
    };
  };
}

function vllm(
  part: HasherPart,
  parameters: Record<string, unknown>,
  parts: number[],
  keysOf: (key: Words) => Words[],
): Hasher {
  return {
    ...plain(part, { ...EXPONENTIAL, parts, largest: VLLM_BITS * Math.LN2 }),
    padded: true,
    firstOnly: parameters["deduplicate_contexts"] !== "none",
    under: (hex) => {
      const keys = keysOf(oneKey(hex));
      return (context) => {
        const states = keys.map((key) => vllmState(key, context));
        return {
          name: `${states[0]![0]},${states[0]![1]}`,
          draws: (token) => keys.map((key, n) => exponentialDraw(vllmNumber(key, states[n]!, token), VLLM_BITS)),
        };
      };
    },
  };
}

/** The key of a mark whose keys are of one word. */
export function oneKey(hex: string): Words {
  const [key] = keyWords(hex);
  if (!key) throw new UnsupportedProfile("the profile's key is not a key");
  return key;
}

/** A seed as a text. */
export function nameOf(seed: Words): string {
  return `${seed.low},${seed.high}`;
}
