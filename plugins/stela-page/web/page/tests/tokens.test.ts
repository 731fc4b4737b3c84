import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detection } from "../../detector/types";
import { handedOver, largestWeight, seenOf, sentOf } from "../tokens";

const TOKENS = [
  { text: "a", start: 0, end: 1, green: null, score: null, weight: null },
  { text: "bc", start: 1, end: 3, green: true, score: 1, weight: 0.25 },
  { text: "d", start: 3, end: 4, green: false, score: 0.125, weight: 1e-9 },
];

function detection(verdict: Detection["verdict"], passages: Detection["passages"] = []): Detection {
  return { verdict, passages, tokens: TOKENS, p_value: 0.5 } as unknown as Detection;
}

test("tokens in columns are the tokens", () => {
  for (const one of [detection("watermarked"), detection("no watermark found", [{ start: 0, end: 3, p_value: 1e-5 }])]) {
    const sent = sentOf(one);
    const seen = seenOf(structuredClone(sent, { transfer: handedOver(sent) as ArrayBuffer[] }));
    assert.equal(seen.tokens.length, TOKENS.length);
    TOKENS.forEach(({ text: _, ...token }, n) => assert.deepEqual(seen.tokens.at(n), token));
    assert.equal(seen.tokens.at(TOKENS.length), undefined);
    assert.equal(seen.p_value, 0.5);
    assert.equal(largestWeight(seen.tokens), largestWeight(TOKENS));
    assert.equal(largestWeight(seen.tokens), 0.25);
  }
});

test("of a text in which nothing was found no token is shown", () => {
  assert.equal(seenOf(sentOf(detection("no watermark found"))).tokens.length, 0);
  assert.equal(seenOf(sentOf(detection("insufficient text"))).tokens.length, 0);
  assert.equal(largestWeight(seenOf(sentOf(detection("insufficient text"))).tokens), 0);
});
