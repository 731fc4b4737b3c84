/** Messages in marks, read by trying every value of every symbol (stela_payload/encoder.py). */
import { type Coin, type Mixing, nameOf, oneKey } from "../hashers";
import { mix } from "../hashing/mix";
import type { Words } from "../hashing/words";
import type { Law } from "../law";
import { type Scoring, scoreOf, shareOf } from "../statistics/grouped";
import { changedSeed, chosenBlock } from "./blocks";
import { bestCodeword, type Effort, PART, WHOLE } from "./decoding";
import { errorOf, type TailOf } from "./errors";
import { corrected, isSure, type Message, withheld } from "./message";
import { messageOf } from "./permutation";
import { ReedSolomon } from "./reed-solomon";
import { type Pair, scoresOfValues } from "./scores";

/** What a profile says of messages. */
export interface MessagesPart {
  readonly bits: number;
  readonly mostError: number;
  /** Symbols of a codeword. */
  readonly n: number;
  /** Symbols that give all others. */
  readonly k: number;
}

/** A scored token with the mark's own seed. */
export interface Seeded {
  readonly seed: Words;
  readonly token: number;
  readonly weight: number;
}

/** A text's scored tokens and the message that they were read to hold. */
export interface Carried {
  readonly seeded: readonly Seeded[];
  readonly message: Message;
  /** The symbols of its codeword. */
  readonly values: readonly number[];
  /** Of the mark. */
  readonly key: Words;
}

/** Reads messages. */
export class Encoder {
  private readonly code: ReedSolomon;

  constructor(
    private readonly part: MessagesPart,
    private readonly mixing: Mixing,
    private readonly law: Law,
    private readonly scoring: Scoring,
  ) {
    this.code = new ReedSolomon(part.bits, part.n, part.k);
  }

  /** How many messages are told from each other: p-values of the best one are times their number. */
  get choices(): number {
    return 2 ** this.part.bits;
  }

  /** The message that tokens carry under a key, and what their contexts draw under it. */
  under(
    key: string,
    contexts: readonly (readonly number[])[],
    tokens: readonly number[],
    weights: Float64Array,
  ): Carried & { coinAfter: (context: readonly number[]) => Coin } {
    const seedAfter = this.mixing.seeds(key);
    const seeds = new Map<string, Words>();
    const seedOf = (context: readonly number[]): Words => {
      const seed = seeds.get(context.join()) ?? seedAfter(context);
      seeds.set(context.join(), seed);
      return seed;
    };
    const seeded = contexts.map((context, n): Seeded => ({ seed: seedOf(context), token: tokens[n]!, weight: weights[n]! }));
    const words = oneKey(key);
    const { message, values } = this.read(seeded, words);
    return { seeded, message, values, key: words, coinAfter: (context) => this.coin(seedOf(context), values) };
  }

  /** The message of these tokens, and its symbols; withheld where a half of them names another one. */
  read(tokens: readonly Seeded[], key: Words): { message: Message; values: number[] } {
    const number = this.best(tokens, WHOLE);
    const values = this.code.symbolsOf(number);
    const message = this.messageOf(number, key, this.tailOf(tokens, values));
    const middle = Math.floor(tokens.length / 2);
    const differs = (half: readonly Seeded[]): boolean => {
      const own = this.best(half, PART);
      return own !== number && isSure(this.sureOf(half, this.code.symbolsOf(own), key, 2));
    };
    const mixed = isSure(message) && [tokens.slice(0, middle), tokens.slice(middle)].some(differs);
    return { message: mixed ? withheld(message) : message, values };
  }

  private best(tokens: readonly Seeded[], effort: Effort): bigint {
    return bestCodeword(scoresOfValues(this.pairsOf(tokens), this.mixing.signal, this.code.n, this.code.values), this.code, effort);
  }

  /** What is sure of a message in a window, both chosen in any way, where a text may hold several.
   *
   * @param times what bounds are multiplied by: one over the window's share of the error rate, without the messages'.
   */
  sureOf(tokens: readonly Seeded[], values: readonly number[], key: Words, times: number): Message {
    const places = Array.from({ length: this.code.k }, (_, place) => place);
    const number = this.code.numberOf(places, values.slice(0, this.code.k));
    return corrected(this.messageOf(number, key, this.tailOf(tokens, values)), times);
  }

  /** What a seed draws that carries the message. */
  private coin(seed: Words, values: readonly number[]): Coin {
    const changed = changedSeed(seed, values[chosenBlock(seed, this.code.n)]!);
    return { name: nameOf(seed), draws: (token) => [this.mixing.draw(mix(changed, token))] };
  }

  /** Distinct pairs in the order in which Python adds them up: by seed, then by token. */
  private pairsOf(tokens: readonly Seeded[]): Pair[] {
    const grouped = new Map<string, Seeded[]>();
    for (const one of tokens) {
      const name = pairName(one);
      grouped.set(name, [...(grouped.get(name) ?? []), one]);
    }
    const pairs = [...grouped.values()].map((group): Pair => {
      const { seed, token } = group[0]!;
      const share = shareOf(group.length, this.scoring.repeats);
      const stake = group.reduce((sum, { weight }) => sum + weight * share, 0);
      return { seed, token, stake, block: chosenBlock(seed, this.code.n) };
    });
    return pairs.sort((a, b) => a.seed.high - b.seed.high || a.seed.low - b.seed.low || a.token - b.token);
  }

  /** A part of a codeword says nothing of a digit: all have the same bound. */
  private messageOf(number: bigint, key: Words, tail: TailOf): Message {
    const { bits, mostError } = this.part;
    const digits = messageOf(number, bits, key).toString(16).padStart(Math.ceil(bits / 4), "0");
    const error = errorOf(tail, this.code, this.choices - 1);
    return { digits, bits, errors: [...digits].map(() => error), error, mostError, mixed: false };
  }

  /** The scorer's p-value over the tokens of some blocks; 1 where there are none. */
  private tailOf(tokens: readonly Seeded[], values: readonly number[]): TailOf {
    const numbers = new Map<string, number>();
    const drawn = tokens.map((one) => {
      const group = numbers.get(pairName(one)) ?? numbers.size;
      numbers.set(pairName(one), group);
      const [draw] = this.coin(one.seed, values).draws(one.token);
      return { draw: draw!, weight: one.weight, group, block: chosenBlock(one.seed, this.code.n) };
    });
    return (chosen) => {
      const inside = drawn.filter(({ block }) => (chosen >> block) & 1);
      if (!inside.length) return 1;
      const signals = {
        draws: Float64Array.from(inside, ({ draw }) => draw),
        weights: Float64Array.from(inside, ({ weight }) => weight),
        groups: Int32Array.from(inside, ({ group }) => group),
        law: this.law,
      };
      return scoreOf(signals, this.scoring).p;
    };
  }
}

function pairName({ seed, token }: Seeded): string {
  return `${nameOf(seed)}/${token}`;
}
