/** Evidence of a text: which tokens are scored, their weights, and under a key their draws and groups. */
import type { Coin, Hasher } from "../hashers";
import { isGreenList, middleOf, signalsOf } from "../law";
import type { Carried, Encoder } from "../messages/encoder";
import type { Message } from "../messages/message";
import type { Signals } from "../statistics/grouped";
import type { Encoded, Tokenizer } from "../tokenizer/tokenizer";
import type { Place, Reading } from "../readings";
import { Contexts, Pairs } from "./numbering";
import { contextAt, scoredPositions } from "./positions";
import { prefixEnds } from "./prefix";
import type { TokenWeigher, Weigher } from "./weigher";

/** A reading cut and weighed: no key was looked at. */
export interface Weighed {
  readonly reading: Reading;
  /** Token n is `given.slice(starts[n], ends[n])` of the text as given. */
  readonly encoded: Encoded;
  /** Index of each scored token. */
  readonly positions: readonly number[];
  readonly weights: Float64Array;
}

/** The same under a key. */
export interface Evidence extends Signals {
  readonly weighed: Weighed;
  /** Each token's signal. */
  readonly signal: Float64Array;
  /** Whether it speaks for the mark: its colour, or a signal above the middle of its law. */
  readonly green: readonly boolean[];
  /** How many groups there are. */
  readonly pairs: number;
  /** Of a mark that carries one: the draws are those under it. */
  readonly message: Message | undefined;
  /** What a window is sure of that message, and the scored tokens that it is read from. */
  readonly carried: (Carried & { readonly encoder: Encoder }) | undefined;
  /** How many messages that one was chosen among: p-values are times their number. */
  readonly choices: number;
}

/** Cut a reading and weigh its scored tokens, alike where nothing weighs them. */
export function weighed(reading: Reading, tokenizer: Tokenizer, hasher: Hasher, weigher: Weigher | TokenWeigher | undefined): Weighed {
  const { ids, starts, ends } = tokenizer.encode(reading.text);
  const positions = scoredPositions(ids, tokenizer.bytes, hasher);
  let weights: Float64Array = new Float64Array(positions.length).fill(1);
  if (weigher) {
    const before = prefixEnds(ids, tokenizer.bytes);
    weights =
      "weightsOf" in weigher
        ? weigher.weightsOf(before.text, [...before.ends, before.text.length], positions)
        : weigher.weights(before.text, positions.map((position) => before.ends[position]!));
  }
  const inGiven: (places: number[]) => Place[] = reading.inGiven;
  return { reading, encoded: { ids, starts: inGiven(starts), ends: inGiven(ends) }, positions, weights };
}

/** What a key draws for the scored tokens of a text, under the message that fits best where there is an encoder. */
export function coloured(text: Weighed, hasher: Hasher, key: string, encoder?: Encoder): Evidence {
  const { law } = hasher;
  const { ids } = text.encoded;
  const behind = (position: number): number[] => contextAt(ids, position, hasher);
  const read = encoder?.under(key, text.positions.map(behind), text.positions.map((position) => ids[position]!), text.weights);
  const coinAfter = read?.coinAfter ?? hasher.under(key);
  const contexts = new Contexts(ids, hasher.width, hasher.padding ?? -1);
  const coins: { readonly coin: Coin; readonly number: number }[] = [];
  const names = new Names();
  const pairs = new Pairs();
  const parts = law.parts.length;
  const draws = new Float64Array(text.positions.length * parts);
  const groups = new Int32Array(text.positions.length);
  text.positions.forEach((position, n) => {
    // Where each context is scored but once, none comes again.
    let known = hasher.firstOnly ? undefined : coins[contexts.before(position)];
    if (!known) {
      const coin = coinAfter(behind(position));
      known = { coin, number: names.of(coin.name) };
      if (!hasher.firstOnly) coins.push(known);
    }
    const { coin, number } = known;
    const token = ids[position]!;
    const drawn = coin.draws(token);
    for (let d = 0; d < parts; d++) draws[n * parts + d] = drawn[d]!;
    groups[n] = coin.drawOf ? pairs.of(-1, names.of(coin.drawOf(token))) : pairs.of(number, token);
  });
  const signal = signalsOf(draws, law);
  const middle = isGreenList(law) ? 0.5 : middleOf(law);
  const green = Array.from(signal, (value) => value > middle);
  return { weighed: text, draws, weights: text.weights, groups, law, signal, green, pairs: pairs.size, message: read?.message, carried: encoder && read && { ...read, encoder }, choices: encoder?.choices ?? 1 };
}

/** Numbers of names: even ones of texts, odd ones of seeds. */
class Names {
  private readonly texts = new Map<string, number>();
  private readonly seeds = new Pairs();

  of(name: Coin["name"]): number {
    if (typeof name !== "string") return 2 * this.seeds.of(name.low | 0, name.high | 0) + 1;
    let number = this.texts.get(name);
    if (number === undefined) this.texts.set(name, (number = 2 * this.texts.size));
    return number;
  }
}

/** The same with weight 1 for every token. */
export function alike(evidence: Evidence): Evidence {
  const { carried } = evidence;
  const even = carried && { ...carried, seeded: carried.seeded.map((token) => ({ ...token, weight: 1 })) };
  return { ...evidence, weights: new Float64Array(evidence.weights.length).fill(1), carried: even };
}
