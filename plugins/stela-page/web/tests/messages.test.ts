/** Messages read as Python reads them (scripts/message_vectors.py), and each fast way against a slow one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HasherPart, hasherOf } from "../detector/hashers";
import { mix } from "../detector/hashing/mix";
import type { Words } from "../detector/hashing/words";
import { changedSeed, chosenBlock } from "../detector/messages/blocks";
import { bestCodeword, PART, splits, WHOLE } from "../detector/messages/decoding";
import { Encoder, type Seeded } from "../detector/messages/encoder";
import { errorOf, expectedNumber, fisherTail } from "../detector/messages/errors";
import { corrected, readOf, withheld } from "../detector/messages/message";
import { messageOf } from "../detector/messages/permutation";
import { digitsOfBits, ReedSolomon } from "../detector/messages/reed-solomon";
import { type Pair, scoresOfValues } from "../detector/messages/scores";
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

const WORDS = [
  [24, 8, 0xabcdefn, "abc 753 131 cde df5 1a 678 b97"],
  [32, 8, 0xcafe0001n, "cafe caff cafc cafd cafa cafb caf8 caf9"],
  [40, 12, 0x0123456789n, "4 e0 17f bf 2c3 f6 28a 19b 282 1a9 15c 353"],
  [64, 12, 0x0123456789abcdefn, "123 0 8215 f42 644c 7c4a c4f6 5084 8130 f541 cb2e 332b"],
] as const;

const SPLIT = [[0, 1, 10, 11, 8, 7, 9, 6, 3, 4, 5, 2]];

function encoderOf(part: object, bits: number, repeats: string, mostError = 1e-4): Encoder {
  const { mixing, law } = hasherOf(part as HasherPart);
  return new Encoder({ bits, mostError, n: { 1: 1, 2: 8, 4: 10 }[digitsOfBits(bits)]!, k: digitsOfBits(bits) }, mixing!, law, { repeats: repeats as Repeats, ties: "split" });
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

/** Rows of scores, made up, in quarters. */
function rowsOf(code: ReedSolomon, seed: number): Float32Array[] {
  return Array.from({ length: code.n }, (_, n) => Float32Array.from(numbers(100 * seed + n, code.values), (one) => (one % 64) / 4));
}

test("of two digits the best codeword is that of all", () => {
  for (const [n, seed] of [[5, 2], [8, 4]] as const) {
    const code = new ReedSolomon(16, n, 2);
    const rows = rowsOf(code, seed);
    const total = (number: bigint): number => code.symbolsOf(number).reduce((sum, symbol, place) => sum + rows[place]![symbol]!, 0);
    let top = 0;
    for (let number = 0; number < 2 ** 16; number++) top = Math.max(top, total(BigInt(number)));
    assert.equal(total(bestCodeword(rows, code, WHOLE)), top);
  }
});

test("a codeword that stands out is found, and any k of its symbols bring its number back", () => {
  for (const [bits, n] of [[24, 8], [32, 8], [40, 10], [48, 12], [56, 10], [64, 10], [64, 8]] as const) {
    const code = new ReedSolomon(bits, n, digitsOfBits(bits));
    const number = 0x0123456789abcdefn >> BigInt(64 - bits);
    const word = code.symbolsOf(number);
    const rows = rowsOf(code, bits);
    word.forEach((symbol, place) => (rows[place]![symbol] = 16 + place));
    for (const effort of [WHOLE, PART]) assert.equal(bestCodeword(rows, code, effort), number, `${bits} bits, ${n} symbols`);
    for (let first = 0; first + code.k <= n; first++) {
      const places = word.map((_, place) => place).slice(first, first + code.k);
      assert.equal(code.numberOf(places, places.map((place) => word[place]!)), number);
    }
  }
});

test("codewords are those that Python says", () => {
  // tests/test_reed_solomon.py of stela-payload: the golden codewords.
  for (const [bits, n, number, word] of WORDS) {
    assert.equal(new ReedSolomon(bits, n, digitsOfBits(bits)).symbolsOf(number).map((one) => one.toString(16)).join(" "), word);
  }
  assert.deepEqual(splits(12, 1), SPLIT);
});

test("a message's bound is the largest that sets of places give", () => {
  // tests/test_errors.py of stela-payload: two places left out, and three by Fisher's method.
  const code = new ReedSolomon(32, 8, 2);
  const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) <= 1e-9 * b, `${a}, not ${b}`);
  near(errorOf((places) => (places === 0b11010111 ? 1e-12 : 0), code, 2 ** 32 - 1), expectedNumber(code, 2 ** 32 - 1, 2) * 8e-12);
  const five = errorOf((places) => ([8, 16, 32, 64, 128].includes(places) ? 0.1 : 0), code, 2 ** 32 - 1);
  near(five, expectedNumber(code, 2 ** 32 - 1, 3) * 16 * fisherTail(5 * Math.log(10), 5));
  assert.equal(errorOf(() => 1, code, 2 ** 32 - 1), 1);
  assert.ok(errorOf(() => 0, code, 2 ** 32 - 1) < 1e-20);
  near(errorOf(() => 1e-9, new ReedSolomon(12, 1, 1), 4095), 4095e-9);
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

test("bounds are times the readings and keys that were tested; digits follow from them", () => {
  const message = { digits: "1f", bits: 8, errors: [1e-5, 1e-8], error: 2e-5, mostError: 1e-4, mixed: false };
  assert.deepEqual(readOf(message), { hex: "1f", bits: 8, sure: true, error: 2e-5, errors: [1e-5, 1e-8], most_error: 1e-4 });
  const twenty = readOf(corrected(message, 20));
  assert.deepEqual([twenty.hex, twenty.sure, twenty.error], ["?f", false, 4e-4]);
  assert.equal(corrected(message, 1e9).error, 1);
  assert.deepEqual(readOf(withheld(message)), { hex: "??", bits: 8, sure: false, error: 1, errors: [1, 1], most_error: 1e-4, mixed: true });
});
