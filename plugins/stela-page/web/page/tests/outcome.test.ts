import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detection } from "../../detector/types";
import en from "../../words/en.json";
import { sentencesOf } from "../message-said";
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

test("bounds of a message are times the number of marks, and what then is not sure is not shown", () => {
  const errors = [1e-5, 1e-5, 4e-5, 4e-5];
  const message = { hex: "cafe", bits: 16, sure: true, error: 6e-5, errors, most_error: 1e-4 };
  const marked = { ...detection("watermarked", 1e-9), message };
  assert.deepEqual(outcomeOf([marked]).found?.message, message);
  const three = outcomeOf([marked, detection("no watermark found", 0.5), detection("no watermark found", 0.5)]).found?.message;
  assert.deepEqual([three?.hex, three?.sure], ["ca??", false]);
  const passage = { start: 0, end: 9, p_value: 1e-9, message };
  const [named] = outcomeOf([detection("watermarked", 1e-9, [passage]), detection("no watermark found", 0.5)]).best.passages;
  assert.deepEqual([named?.message?.hex, named?.message?.error], ["cafe", 1.2e-4]);
  three!.errors!.forEach((error, n) => assert.ok(Math.abs(error - 3 * errors[n]!) < 1e-12));
  // A service's answer tells the bound of the whole alone.
  const { errors: _, most_error: __, ...told } = message;
  assert.equal(outcomeOf([{ ...marked, message: told }]).found?.message?.hex, "cafe");
  assert.equal(outcomeOf([{ ...marked, message: told }, detection("no watermark found", 0.5)]).found?.message?.hex, "????");
});

test("how sure a message is, in words", () => {
  const whole = { hex: "cafe", bits: 16, sure: true, error: 7.1e-38 };
  assert.deepEqual(sentencesOf(whole, en), ["Probability that this is wrong: at most 8 × 10⁻³⁸."]);
  const partly = { hex: "c?", bits: 8, sure: false, error: 0.5 };
  assert.deepEqual(sentencesOf(partly, en), [en.messagePart]);
  assert.deepEqual(sentencesOf({ ...partly, errors: [2e-5, 0.5] }, en), [en.messagePart, "Probability that a digit shown is wrong: at most 2 × 10⁻⁵."]);
  assert.deepEqual(sentencesOf({ ...partly, hex: "??" }, en), [en.messageNone]);
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
