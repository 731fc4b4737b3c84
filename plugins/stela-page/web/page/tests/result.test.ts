import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detection, ProfileSummary } from "../../detector/types";
import en from "../../words/en.json";
import type { Signature } from "../../signing/profile-signature";
import type { Checked } from "../checked";
import { gammaOf, type Mark } from "../data";
import { outcomeOf } from "../outcome";
import { sentences, spoken } from "../result";
import type { Seen } from "../tokens";
import type { Words } from "../words";
import { LANGUAGES } from "./languages";

const WORDS = en as unknown as Words;
const TEXT = "x".repeat(1000);

function checked(verdict: Detection["verdict"], options: { pairs?: number; ends?: number; scheme?: string; power?: number } = {}): Checked {
  const { pairs = 200, ends, scheme = "kgw", power } = options;
  const passages = ends === undefined ? [] : [{ start: 0, end: ends, p_value: 1e-9 }];
  const p = verdict === "watermarked" ? 1e-9 : 0.4;
  const one = { verdict, p_value: p, unique_pairs: pairs, scored_tokens: pairs, threshold: 0.001, green_fraction: 0.5, passages, power };
  return {
    text: TEXT,
    outcome: outcomeOf([one as unknown as Seen]),
    opened: new Map([[0, { profile: { scheme } as ProfileSummary, signature: {} as Signature }]]),
    foreign: null,
  } as unknown as Checked;
}

test("a text that is marked in part is said to be", () => {
  assert.equal(sentences(checked("watermarked", { ends: 400 }), WORDS).verdict, en.foundPart);
  assert.equal(sentences(checked("watermarked", { ends: 950 }), WORDS).verdict, en.found);
  assert.equal(sentences(checked("watermarked"), WORDS).verdict, en.found);
});

test("a short text in which nothing was found is said to be short", () => {
  assert.ok(sentences(checked("no watermark found", { pairs: 30 }), WORDS).odds.includes(en.shortNone));
  assert.ok(!sentences(checked("no watermark found"), WORDS).odds.includes(en.shortNone));
});

test("where the expected power is known, it decides what is short, and is told as the command tells it", () => {
  const said = (power: number): { verdict: string; odds: string } => {
    const { verdict, odds } = sentences(checked("no watermark found", { power }), WORDS);
    return { verdict, odds: odds.join(" ").replace(/[\u2068\u2069]/g, "").replaceAll("\u00a0", " ") };
  };
  assert.equal(said(0.2336).verdict, en.noneShort);
  assert.match(said(0.2336).odds, /≈ 20% are found\.$/);
  assert.match(said(0.04).odds, /< 10% are found\.$/);
  assert.equal(said(0.8).verdict, en.none);
  assert.doesNotMatch(said(0.8).odds, /short/);
  assert.equal(sentences(checked("no watermark found", { pairs: 9, power: 0.9 }), WORDS).verdict, en.none);
  assert.equal(sentences(checked("watermarked", { power: 0.3 }), WORDS).verdict, en.found);
});

test("a mark of SynthID's kind is never taken for Google's", () => {
  for (const verdict of ["watermarked", "no watermark found", "insufficient text"] as const) {
    assert.match(sentences(checked(verdict, { scheme: "synthid" }), WORDS).caution, /not Google’s SynthID/);
    assert.doesNotMatch(sentences(checked(verdict), WORDS).caution, /Google/);
  }
  for (const words of Object.values(LANGUAGES)) assert.match(words.notGoogle, /Google/);
});

test("a screen reader hears no sentence end twice", () => {
  for (const words of Object.values(LANGUAGES)) {
    for (const verdict of ["watermarked", "no watermark found", "insufficient text"] as const) {
      const { verdict: first, odds, caution } = sentences(checked(verdict, { scheme: "synthid" }), words);
      assert.doesNotMatch(spoken(first, ...odds, caution), /[.。।؟!?]\s*[.。।]/u);
      assert.ok(spoken(first, ...odds, "").trim() === spoken(first, ...odds, ""));
    }
  }
});

test("what the key favours has a value to compare with", () => {
  const mark = (hasher: object): Mark => ({ name: "a", content: JSON.stringify({ hasher }) }) as unknown as Mark;
  assert.equal(gammaOf(mark({ name: "kgw", gamma: 0.25 })), 0.25);
  assert.equal(gammaOf(mark({ name: "gumbel" })), 0.5);
  assert.equal(gammaOf(mark({ name: "synthid", parameters: { depth: 30, layers: "weighted" } })), 0.5);
  assert.equal(gammaOf(mark({ name: "synthid", parameters: { depth: 2, layers: "mean" } })), 0.25);
  assert.equal(gammaOf(mark({ name: "synthid", parameters: { depth: 4, layers: "mean" } })), 5 / 16);
  assert.equal(gammaOf(mark({ name: "exp" })), undefined);
});
