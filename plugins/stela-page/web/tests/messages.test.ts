/** Messages read as Python reads them (scripts/message_vectors.py), and each fast way against a slow one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HasherPart, hasherOf } from "../detector/hashers";
import { mix } from "../detector/hashing/mix";
import type { Words } from "../detector/hashing/words";
import { changedSeed, chosenBlock } from "../detector/messages/blocks";
import { bestCode } from "../detector/messages/choosing";
import { Encoder, type Seeded } from "../detector/messages/encoder";
import { errorOf } from "../detector/messages/errors";
import { corrected, readOf, withheld } from "../detector/messages/message";
import { messageOf } from "../detector/messages/permutation";
import { type Pair, scoresOfValues } from "../detector/messages/scores";
import { errorAmongSeveral, runsOf } from "../detector/messages/several";
import type { Repeats } from "../detector/statistics/grouped";
import { numbers } from "./made-up";
import vectors from "./vectors.json";

const MASK = 2n ** 64n - 1n;

function wordsOf(number: bigint): Words {
  return { low: Number(number & 0xffffffffn), high: Number(number >> 32n) };
}

/** The definition of stela_payload/blocks.py in whole numbers of any size. */
function slowlyChanged(seed: bigint, value: number): bigint {
  let x = (seed + BigInt(value + 1) * 0x9e3779b97f4a7c15n) & MASK;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return x ^ (x >> 31n);
}

const SEEDS = [0n, 1n, MASK, 0x7fffffff80000000n, 0xffffffffn, 0xffffffff00000000n, ...numbers(5, 40).map((n) => BigInt(n) * 0x10000001fn)];

const GOLDEN = [[8, "2f"], [16, "7027"], [24, "ea575b"], [32, "ef212947"], [40, "f7c97fcc30"], [63, "78101038e9fc94ce"], [64, "3123661a41ce2350"]] as const;

function encoderOf(part: object, bits: number, repeats: string, mostError = 1e-4): Encoder {
  const { mixing, law } = hasherOf(part as HasherPart);
  return new Encoder({ bits, mostError }, mixing!, law, { repeats: repeats as Repeats, ties: "split" });
}

test("messages, their digits and bounds are Python's", () => {
  const key = { high: 0, low: 1 };
  for (const { part, bits, rule, seeds, tokens, weights, hex, digits, errors, error, window } of vectors.messages) {
    const what = `${part.name}, ${bits} bits, ${tokens.length} tokens`;
    const seeded = tokens.map((token, n): Seeded => ({ seed: wordsOf(BigInt(`0x${seeds[n]!}`)), token, weight: (weights[n] ?? 1) / 1000 }));
    const encoder = encoderOf(part, bits, rule);
    const { message, values } = encoder.read(seeded, key);
    const sure = encoder.sureOf(seeded, values, key, window.times);
    assert.equal(readOf(sure).hex, window.hex, what);
    assert.equal(message.digits, digits, what);
    assert.equal(readOf(message).hex, hex, what);
    const bounds = [...message.errors, message.error, ...sure.errors, sure.error];
    [...errors, error, ...window.errors, window.error].forEach((bound, n) => assert.ok(Math.abs(bounds[n]! - bound) <= 1e-9 * bound, `${what}: ${bounds[n]!}, not ${bound}`));
  }
});

test("halves of 64-bit numbers are changed as whole ones, and every value is scored by them", () => {
  for (const seed of SEEDS) {
    const words = wordsOf(seed & MASK);
    for (const value of [0, 1, 255, 256, 65_535]) assert.deepEqual(changedSeed(words, value), wordsOf(slowlyChanged(seed & MASK, value)));
    const pair: Pair = { seed: words, token: 31_337, stake: 0.75, block: 1 };
    const [first, second] = scoresOfValues([pair, pair], { below: 2 ** 31 }, 2, 256) as [Float32Array, Float32Array];
    const slow = Array.from(second, (_, value) => (mix(wordsOf(slowlyChanged(seed & MASK, value)), 31_337) < 2 ** 31 ? 1.5 : 0));
    assert.deepEqual([...second], slow);
    assert.ok(first.every((score) => score === 0));
    const [drawn] = scoresOfValues([{ ...pair, block: 0 }], "exponential", 1, 64) as [Float32Array];
    drawn.forEach((score, value) => {
      const exact = -0.75 * Math.log1p(-mix(wordsOf(slowlyChanged(seed & MASK, value)), 31_337) / 2 ** 32);
      assert.ok(Math.abs(score - exact) < 1e-3 * (1 + score * score * 65), `${score}, not ${exact}`);
    });
  }
});

test("blocks are chosen about equally often", () => {
  const counts = new Array<number>(8).fill(0);
  for (let n = 0; n < 8000; n++) counts[chosenBlock({ low: n, high: 7 }, 8)]!++;
  assert.ok(counts.every((count) => Math.abs(count - 1000) < 150), `${counts}`);
});

/** A row of scores that favours some pairs of bytes, and nothing else. */
function rowOf(seed: number, few: number): Float32Array {
  const row = new Float32Array(65_536);
  const [places, values] = [numbers(seed, few), numbers(seed + 1, few)];
  places.forEach((place, n) => (row[place % 65_536]! += (values[n]! % 16) / 2));
  return row;
}

test("the best ring is the best of all that few favoured pairs allow", () => {
  for (let seed = 1; seed < 12; seed++) {
    const scores = [0, 1, 2].map((n) => rowOf(100 * seed + 7 * n, 40));
    const total = (content: readonly number[]): number => scores.reduce((sum, row, n) => sum + row[content[n]! * 256 + content[(n + 1) % 3]!]!, 0);
    // Bytes in no favoured pair are all alike: one of them stands for all.
    const told = scores.map((_, n) => {
      const bytes = new Set<number>();
      scores[n]!.forEach((score, at) => score > 0 && bytes.add(at >> 8));
      scores[(n + 2) % 3]!.forEach((score, at) => score > 0 && bytes.add(at & 255));
      return [...bytes, Array.from({ length: 256 }, (_, byte) => byte).find((byte) => !bytes.has(byte))!];
    });
    let top = 0;
    for (const a of told[0]!) for (const b of told[1]!) for (const c of told[2]!) top = Math.max(top, total([a, b, c]));
    const best = bestCode(scores);
    assert.equal(total(best.map((value) => value >> 8)), top);
    best.forEach((value, n) => assert.equal(value & 255, best[(n + 1) % 3]! >> 8));
  }
});

test("a message's bound is the largest of all sets of bytes and pairs of blocks", () => {
  // Blocks 0 and 1 say nothing: byte 1, which is in these alone, may be any.
  assert.equal(errorOf((blocks) => (blocks & 4 ? 1e-40 : 1), 3), 1);
  assert.ok(errorOf(() => 1e-40, 3) < 1e-30);
  assert.equal(errorOf((blocks) => (blocks === 0b0101 ? 2 ** -30 : 0), 4), 12 * 2 ** -30);
});

test("codes stand for the messages that Python says", () => {
  // tests/test_permutation.py of stela-payload: the golden codes of message 5.
  const key = wordsOf(0x0123456789abcdefn);
  for (const [bits, code] of GOLDEN) assert.equal(messageOf(BigInt(`0x${code}`), bits, key), 5n, `${bits} bits`);
  for (let bits = 1; bits <= 12; bits++) {
    const all = Array.from({ length: 2 ** bits }, (_, code) => messageOf(BigInt(code), bits, key));
    assert.equal(new Set(all).size, 2 ** bits);
    assert.ok(all.every((message) => message < 2n ** BigInt(bits)));
  }
});

test("runs of blocks that are not free are Python's, and every set of two blocks counts", () => {
  // stela_payload/several.py: of four blocks 0 and 2 are free, so the runs are blocks 1 and 3.
  assert.deepEqual([runsOf(0b0101, 4), runsOf(0b1110, 4), runsOf(0b1001, 4), runsOf(0b1111, 4)], [2, 1, 1, 0]);
  assert.equal(errorAmongSeveral((blocks) => (blocks === 0b0101 ? 1e-9 : 0), 4), 11 * 16 ** 2 * 1e-9);
  assert.equal(errorAmongSeveral(() => 1, 4), 1);
  assert.equal(errorAmongSeveral((blocks) => ([1, 2, 4, 8].includes(blocks) ? 1 : 0), 4), 0);
});

test("bounds are times the readings and keys that were tested; digits follow from them", () => {
  const message = { digits: "1f", bits: 8, errors: [1e-5, 1e-8], error: 2e-5, mostError: 1e-4, mixed: false };
  assert.deepEqual(readOf(message), { hex: "1f", bits: 8, sure: true, error: 2e-5, errors: [1e-5, 1e-8], most_error: 1e-4 });
  const twenty = readOf(corrected(message, 20));
  assert.deepEqual([twenty.hex, twenty.sure, twenty.error], ["?f", false, 4e-4]);
  assert.equal(corrected(message, 1e9).error, 1);
  assert.deepEqual(readOf(withheld(message)), { hex: "??", bits: 8, sure: false, error: 1, errors: [1, 1], most_error: 1e-4, mixed: true });
});
