/** Hashes of vLLM and SGLang against vectors made by their own code (plugins/stela-gumbel/tests/data). */
import assert from "node:assert/strict";
import { test } from "node:test";
import sglang from "../../../stela-gumbel/tests/data/sglang.json";
import vllm from "../../../stela-gumbel/tests/data/vllm.json";
import { murmur, sglangNumber } from "../detector/hashing/sglang";
import { derivedKeys, vllmNumber, vllmState } from "../detector/hashing/vllm";
import { type Words } from "../detector/hashing/words";

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
