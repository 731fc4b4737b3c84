/** Hashes of vLLM and SGLang against vectors made by their own code (plugins/stela-gumbel/tests/data). */
import assert from "node:assert/strict";
import { test } from "node:test";
import sglang from "../../../stela-gumbel/tests/data/sglang.json";
import vllm from "../../../stela-gumbel/tests/data/vllm.json";
import golden from "../../../stela-synthid/tests/golden.json";
import { hasherOf } from "../detector/hashers";
import { mt19937 } from "../detector/hashing/mt19937";
import { murmur, sglangNumber } from "../detector/hashing/sglang";
import { samplingTable } from "../detector/hashing/synthid";
import { derivedKeys, vllmNumber, vllmState } from "../detector/hashing/vllm";
import { type Words } from "../detector/hashing/words";
import { UnsupportedProfile } from "../detector/types";

function words(key: number | string): Words {
  const number = typeof key === "string" ? BigInt(`0x${key.replace(/^0x/i, "")}`) : BigInt(key);
  return { low: Number(number & 0xffffffffn), high: Number(number >> 32n) };
}

test("vLLM's uniforms", () => {
  // Keys past 2**53 lose digits in JSON.parse: those are tested through Python's vectors.
  const exact = vllm.uniform.filter(({ key }) => Number.isSafeInteger(key));
  assert.ok(exact.length > 5);
  for (const { key, context, token, uniform } of exact) {
    const number = vllmNumber(words(key), vllmState(words(key), context), token);
    assert.equal(Math.fround((number + 1) / (2 ** 24 + 1)), Math.fround(uniform));
  }
});

test("vLLM's derived keys", () => {
  for (const { key, key_a, key_b } of vllm.derive.filter((one) => Number.isSafeInteger(one.key))) {
    const derived = derivedKeys(words(key)).map(({ low, high }) => Number((BigInt(high) << 32n) | BigInt(low)));
    assert.deepEqual(derived, [key_a, key_b]);
  }
});

test("SGLang's hashes of contexts, tokens and coins", () => {
  for (const { key, key_b, context, token, context_hash, token_hash, coin } of sglang.hash) {
    const [a, b] = [words(key), words(key_b)];
    assert.equal(murmur(context), context_hash);
    assert.equal(sglangNumber(a, context_hash, token), token_hash);
    assert.equal(murmur([a.low, a.high, b.low, b.high, context_hash]), coin);
  }
});

test("the numbers of PyTorch's generator, and SynthID's table of them", () => {
  // Of seed 5489, its authors' own (mt19937ar.out gives those of another rule of seeding).
  assert.deepEqual([...mt19937(5489, 5)], [3499211612, 581869302, 3890346734, 3586334585, 545404204]);
  assert.equal(mt19937(5489, 10_000)[9999], 4123659995); // ISO C++ [rand.predef]
  assert.deepEqual(mt19937(2 ** 40 + 5489, 700), mt19937(5489, 700));
  assert.equal(samplingTable(0, 1 << 16).reduce((sum, bit) => sum + bit, 0), 32_743);
});

test("SynthID's layers whose keys are equal modulo the table's size are refused", () => {
  const words = (keys: number[]): string => keys.map((key) => key.toString(16).padStart(16, "0")).join("");
  const hasher = hasherOf({ name: "synthid", context_width: 4, parameters: { depth: 3, derived: false } });
  hasher.under(words([1, 2, 3]));
  for (const keys of [[7, 7, 7], [1, 2, 1 + 65536], [5 + 2 ** 40, 6, 5]]) {
    assert.throws(() => hasher.under(words(keys)), UnsupportedProfile);
  }
  assert.throws(() => hasher.under(words([1, 2])), /another length/);
});

test("SynthID's bits are those of the package synthid-text", () => {
  // Keys past 2**53 lose digits in JSON.parse.
  const exact = golden.cases.filter(({ keys }) => keys.every(Number.isSafeInteger));
  assert.ok(exact.length > 0);
  for (const { keys, ngram_len, table_size, table_seed, ids, g } of exact) {
    const parameters = { depth: keys.length, derived: false, table_size, table_seed };
    const key = keys.map((one) => BigInt.asUintN(64, BigInt(one)).toString(16).padStart(16, "0")).join("");
    const coinAfter = hasherOf({ name: "synthid", context_width: ngram_len - 1, parameters }).under(key);
    g.forEach((bits, n) => assert.equal(coinAfter(ids.slice(n, n + ngram_len - 1)).draws(ids[n + ngram_len - 1]!).join(""), bits));
  }
});
