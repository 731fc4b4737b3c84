/** Messages in marks, read by trying every value of every block (stela_payload/encoder.py). */
import { type Coin, type Mixing, nameOf } from "../hashers";
import { mix } from "../hashing/mix";
import type { Words } from "../hashing/words";
import type { Law } from "../law";
import { type Scoring, scoreOf, shareOf } from "../statistics/grouped";
import { blocksOfBits, changedSeed, chosenBlock, digitsOf, valuesOfBlock } from "./blocks";
import { bestMessage } from "./choosing";
import { byteErrors, type TailOf } from "./errors";
import { corrected, type Message } from "./message";
import { type Pair, scoresOfValues } from "./scores";
import { shownBytes } from "./several";

/** What a profile says of messages. */
export interface MessagesPart {
  readonly bits: number;
  readonly mostError: number;
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
  /** Of its blocks. */
  readonly values: readonly number[];
}

/** Reads messages. */
export class Encoder {
  private readonly count: number;

  constructor(
    private readonly part: MessagesPart,
    private readonly mixing: Mixing,
    private readonly law: Law,
    private readonly scoring: Scoring,
  ) {
    this.count = blocksOfBits(part.bits);
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
    const { message, values } = this.read(seeded);
    return { seeded, message, values, coinAfter: (context) => this.coin(seedOf(context), values) };
  }

  /** The message of these tokens, and the value of each of its blocks. */
  read(tokens: readonly Seeded[]): { message: Message; values: number[] } {
    const pairs = this.pairsOf(tokens);
    const scores = scoresOfValues(pairs, this.mixing.signal, this.count, valuesOfBlock(this.part.bits));
    const values = bestMessage(scores);
    return { message: this.messageOf(values, this.tailOf(tokens, values)), values };
  }

  /** What is sure of a message in a window, both chosen in any way, where a text may hold several.
   *
   * @param times what bounds are multiplied by: one over the window's share of the error rate, without the messages'.
   */
  sureOf(tokens: readonly Seeded[], values: readonly number[], times: number): Message {
    const { bits, mostError } = this.part;
    const tail = this.tailOf(tokens, values);
    if (this.count === 1) return corrected(this.messageOf(values, tail), times);
    const { shown, error } = shownBytes(tail, this.count, mostError, times);
    const errors = values.flatMap((_, byte) => ((shown >> byte) & 1 ? [error, error] : [1, 1]));
    return { digits: digitsOf(values, bits), bits, errors, error: Math.max(...errors), mostError };
  }

  /** What a seed draws that carries the message. */
  private coin(seed: Words, values: readonly number[]): Coin {
    const changed = changedSeed(seed, values[chosenBlock(seed, this.count)]!);
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
      return { seed, token, stake, block: chosenBlock(seed, this.count) };
    });
    return pairs.sort((a, b) => a.seed.high - b.seed.high || a.seed.low - b.seed.low || a.token - b.token);
  }

  private messageOf(values: readonly number[], tail: TailOf): Message {
    const { bits, mostError } = this.part;
    const digits = digitsOf(values, bits);
    if (this.count === 1) {
      const error = Math.min(1, (this.choices - 1) * tail(1));
      return { digits, bits, errors: [...digits].map(() => error), error, mostError };
    }
    const { errors: ofBytes, error } = byteErrors(tail, this.count);
    const errors = ofBytes.flatMap((one) => [one, one]);
    // Bytes of two messages, each of them sure.
    const two = Math.max(...errors) <= mostError && mostError < error;
    return { digits, bits, errors: two ? errors.map(() => error) : errors, error, mostError };
  }

  /** The scorer's p-value over the tokens of some blocks; 1 where there are none. */
  private tailOf(tokens: readonly Seeded[], values: readonly number[]): TailOf {
    const numbers = new Map<string, number>();
    const drawn = tokens.map((one) => {
      const group = numbers.get(pairName(one)) ?? numbers.size;
      numbers.set(pairName(one), group);
      const [draw] = this.coin(one.seed, values).draws(one.token);
      return { draw: draw!, weight: one.weight, group, block: chosenBlock(one.seed, this.count) };
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
