/** Weights of tokens by how surprising they were and how much they repeat (stela_learned/likelihood.py). */
import { sumOf } from "../statistics/sums";
import { Pairs } from "./numbering";
import type { ValueTable } from "./value-table";
import type { TokenWeigher } from "./weigher";

/** Surprisal, in nats, that a table's value of 1 stands for. */
const NATS = 16;
/** Surprisals at which the mean signal bends. */
const KNOTS = [2, 4, 6, 9, 14];
/** Tokens in front of a token by which a repetition is known, at most. */
const LONGEST = 3;
/** Of the features, as they are fitted there. */
const COEFFICIENTS = [-0.73, -0.15, 0.2, 0.02, 0.07, 0.02, 0.52, 0.6, -0.33, -0.29, -1.43, -0.19, -0.07, -0.03, -0.12];
const STEPS = 1000;

/** What the text before says of a token: the number of tokens before it after which it stood before (-1: others stood there; 0: nothing did), its share of what stood there, and whether it stood anywhere (1 or 0). */
export type Repetition = readonly [length: number, share: number, anywhere: number];

/** Weighs by a table of surprisals. */
export class Likelihood implements TokenWeigher {
  constructor(private readonly table: ValueTable) {}

  weightsOf(text: string, ends: readonly number[], positions: readonly number[]): Float64Array {
    const surprisals = this.surprisals(text, ends);
    const seen = repetitions(text, ends);
    return Float64Array.from(positions, (at) => {
      const row = features(surprisals[at]!, seen[at]!);
      const excess = Math.exp(sumOf(Float64Array.from(COEFFICIENTS, (value, n) => row[n]! * value)));
      return Math.round((STEPS * excess) / (1 + excess)) / STEPS;
    });
  }

  /** Sum over a token's characters of their surprisals, in nats. */
  private surprisals(text: string, ends: readonly number[]): number[] {
    const before = new Float64Array(text.length + 1);
    for (let at = 0; at < text.length; ) {
      const next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
      before[next] = before[at]! + this.table.after(text, next);
      at = next;
    }
    return ends.slice(1).map((end, n) => (before[end]! - before[ends[n]!]!) * NATS);
  }
}

/** What the text before says of each token. */
export function repetitions(text: string, ends: readonly number[]): Repetition[] {
  const numbers = new Map<string, number>();
  const tokens = ends.slice(1).map((end, n) => {
    const token = text.slice(ends[n], end);
    if (!numbers.has(token)) numbers.set(token, numbers.size);
    return numbers.get(token)!;
  });
  const anywhere = new Set<number>();
  // A context's number is that of the one without its first token, and that token.
  const contexts = new Pairs();
  const followers = new Pairs();
  /** How often anything stood after a context, and how often each token did. */
  const totals: number[] = [];
  const times: number[] = [];
  return tokens.map((token, place) => {
    const after: (readonly [context: number, follower: number])[] = [];
    for (let n = 1, context = -1; n <= Math.min(LONGEST, place); n++) {
      context = contexts.of(context, tokens[place - n]!);
      after.push([context, followers.of(context, token)]);
    }
    let [length, share] = [0, 0];
    for (let n = after.length; n > 0; n--) {
      const [context, follower] = after[n - 1]!;
      const total = totals[context] ?? 0;
      if (total && times[follower]) {
        [length, share] = [n, times[follower] / total];
        break;
      }
      if (total) length = -1;
    }
    const stood = +anywhere.has(token);
    anywhere.add(token);
    for (const [context, follower] of after) {
      totals[context] = (totals[context] ?? 0) + 1;
      times[follower] = (times[follower] ?? 0) + 1;
    }
    return [length, share, stood];
  });
}

function features(surprisal: number, [length, share, anywhere]: Repetition): number[] {
  const some = Math.min(surprisal, 9);
  return [
    1,
    ...KNOTS.map((knot) => Math.min(surprisal, knot)),
    ...[-1, 1, 2, 3].map((kind) => +(length === kind)),
    share,
    anywhere,
    anywhere * +(length <= 0) * some,
    +(length < 0) * some,
    +(length === 1) * some,
  ];
}
