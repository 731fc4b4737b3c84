import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detection } from "../../detector/types";
import { outcomeOf } from "../outcome";
import { classOf } from "../shade";

function detection(verdict: Detection["verdict"], p: number, passages: Detection["passages"] = []): Detection {
  return {
    verdict,
    p_value: p,
    z: 0,
    z_plain: 0,
    scored_tokens: 100,
    unique_pairs: 90,
    green_fraction: 0.5,
    threshold: 0.001,
    caveat: null,
    reading: "as it is",
    readings: 1,
    tokens: [],
    passages,
  };
}

test("one mark's verdict and p-value are its own", () => {
  const { verdict, best } = outcomeOf([detection("watermarked", 0.001)]);
  assert.equal(verdict, "watermarked");
  assert.equal(best.p, 0.001);
});

test("with several marks each p-value is times their number, and what then is too large is not found", () => {
  const outcome = outcomeOf([detection("no watermark found", 0.4), detection("watermarked", 0.0004), null]);
  assert.equal(outcome.verdict, "watermarked");
  assert.equal(outcome.best.index, 1);
  assert.equal(outcome.best.p, 0.0008);
  assert.equal(outcome.tested[1]?.p, 0.8);
  const none = outcomeOf([detection("no watermark found", 0.6), detection("watermarked", 0.0006)]);
  assert.equal(none.verdict, "no watermark found");
  assert.equal(none.tested[1]?.p, 1);
});

test("passages are corrected, too", () => {
  const passages = [
    { start: 0, end: 10, p_value: 0.0004 },
    { start: 20, end: 30, p_value: 0.0006 },
  ];
  const { best } = outcomeOf([detection("no watermark found", 0.1, passages), detection("insufficient text", 1)]);
  assert.deepEqual(best.passages, [{ start: 0, end: 10, p_value: 0.0008 }]);
});

test("a mark that was found nowhere is not named", () => {
  const passage = { start: 0, end: 10, p_value: 0.0004 };
  assert.equal(outcomeOf([detection("no watermark found", 0.01), detection("insufficient text", 1)]).found, null);
  assert.equal(outcomeOf([detection("no watermark found", 0.01), detection("watermarked", 1e-9)]).found?.index, 1);
  // In a part of it: the mark of that passage, whichever looks most marked as a whole.
  const inPart = outcomeOf([detection("no watermark found", 0.01), detection("no watermark found", 0.3, [passage])]);
  assert.deepEqual([inPart.best.index, inPart.found?.index], [0, 1]);
});

test("a table that is not known decides nothing alone", () => {
  const strange = { ...detection("no watermark found", 1e-9), p_alike: 0.2 };
  assert.equal(outcomeOf([strange]).best.p, 0.2);
});

test("tokens are shaded by side and weight", () => {
  const token = { text: "a", start: 0, end: 1, green: true, score: 1, weight: 0.5 };
  assert.equal(classOf(token, 1), "green green-2");
  assert.equal(classOf({ ...token, weight: 1 }, 1), "green green-4");
  assert.equal(classOf({ ...token, weight: 0 }, 1), "green green-1");
  assert.equal(classOf({ ...token, green: false }, 1), "red");
  assert.equal(classOf({ ...token, green: null, score: null, weight: null }, 1), null);
});
