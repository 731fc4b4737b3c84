import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../filled";
import { directionOf, type Language } from "../words";
import { LANGUAGES } from "./languages";

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/gu;
const LETTERS = /\p{L}/gu;
const stringsIn = (words: unknown): string[] =>
  typeof words === "string" ? [words] : Object.values(words as Record<string, unknown>).flatMap(stringsIn);

test("a page runs the way that its language is written", () => {
  for (const [code, words] of Object.entries(LANGUAGES)) {
    const { tag: _, ...sentences } = words;
    const said = stringsIn(sentences).join(" ").replaceAll(/\{\w+\}/g, "");
    const share = (said.match(RIGHT_TO_LEFT)?.length ?? 0) / (said.match(LETTERS)?.length ?? 1);
    assert.equal(directionOf(code as Language), share > 0.5 ? "rtl" : "ltr", `${code}: ${share}`);
  }
});

test("in a sentence from right to left what begins or ends without a letter is isolated", () => {
  const isolates = /\u2066[^\u2066-\u2069]*\u2069/g;
  for (const [code, words] of Object.entries(LANGUAGES)) {
    for (const said of stringsIn(words)) {
      const left = said.replaceAll(isolates, "");
      assert.doesNotMatch(left, /[\u2066-\u2069\u200e\u200f\u202a-\u202e]/, `${code}: ${said}`); // closed, and nothing else
      if (directionOf(code as Language) === "rtl") assert.doesNotMatch(left, /(^|\s)\.[a-z]|[a-z]\s*\+\s*[A-Z]|[A-Z]-\d/i, said);
      else assert.equal(left, said, `${code}: ${said}`);
    }
  }
});

test("a value is isolated where it, or the sentence, runs from right to left, and only there", () => {
  assert.equal(filled("From the file {name}", { name: "a.txt" }), "From the file a.txt");
  assert.equal(filled("From the file {name}", { name: "نص.txt" }), "From the file \u2068نص.txt\u2069");
  assert.equal(filled(LANGUAGES.ar.fromFile, { name: "a.txt" }), "من الملف \u2068a.txt\u2069");
  assert.equal(filled(LANGUAGES.ar.messageSure, { error: "8 × 10⁻³⁸" }), "احتمال أن تكون خاطئة: \u20688 × 10⁻³⁸\u2069 على الأكثر.");
});

test("a stranger's word cannot turn the sentence that it stands in", () => {
  for (const evil of ["a\u202etxt.exe", "\u2069\u202ea", "\u2067a", "\u202ba"]) {
    const said = filled("From the file {name}: 12 characters", { name: evil });
    assert.match(said, /^From the file \u2068[^\u202a-\u202e\u2066-\u2069]*\u2069: 12 characters$/u, JSON.stringify(evil));
  }
});
