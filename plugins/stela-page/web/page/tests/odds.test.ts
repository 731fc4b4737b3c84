import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../filled";
import { atMost, inDigits, oddsCell, oneIn, roundedDown } from "../odds";
import en from "../../words/en.json";
import ko from "../../words/ko.json";
import de from "../../words/de.json";
import es from "../../words/es.json";
import fr from "../../words/fr.json";
import pt from "../../words/pt.json";
import zh from "../../words/zh.json";
import { type Language, languageOf, type Words } from "../words";

const LANGUAGES: Record<Language, Words> = { de, en, es, fr, ko, pt, zh };

test("odds never look rarer than they are, and lose less than half", () => {
  let p = 1;
  for (let n = 0; n < 5000; n += 1) {
    const [digit, exponent] = roundedDown(p);
    assert.ok(digit >= 1 && digit <= 9);
    // In logarithms: 10^320 is no number.
    const said = Math.log10(digit) + exponent;
    assert.ok(said <= -Math.log10(p) + 1e-9, `${p}`);
    assert.ok(said > -Math.log10(p) - Math.log10(2) - 1e-9, `${p}`);
    p *= 0.863;
    if (p === 0) break;
  }
  assert.deepEqual(roundedDown(1), [1, 0]);
  assert.deepEqual(roundedDown(0.001), [1, 3]);
  assert.deepEqual(roundedDown(2.5e-7), [4, 6]);
  assert.deepEqual(roundedDown(2.6e-7), [3, 6]);
  assert.deepEqual(roundedDown(0), roundedDown(Number.MIN_VALUE));
});

test("odds in words of each language", () => {
  assert.equal(oneIn(2.5e-7, LANGUAGES.en), "4 million");
  assert.equal(oneIn(2.5e-7, LANGUAGES.zh), "400万");
  assert.equal(oneIn(2.5e-7, LANGUAGES.ko), "400만");
  assert.equal(oneIn(0.001, LANGUAGES.en), "1,000");
});

test("numbers have the form of the language", () => {
  const forms = [LANGUAGES.de, LANGUAGES.es, LANGUAGES.fr, LANGUAGES.pt];
  assert.deepEqual(forms.map((words) => oneIn(2.5e-7, words).replace(/\s/g, " ")), ["4 Millionen", "4 millones", "4 millions", "4 milhões"]);
  assert.deepEqual(forms.map((words) => inDigits(0.0421, words)), Array(4).fill("0,0421"));
  assert.deepEqual(forms.map((words) => inDigits(1.3e-7, words)), Array(4).fill("1,30 × 10⁻⁷"));
  assert.deepEqual(forms.map((words) => atMost(0.0123, words)), Array(4).fill("0,02"));
});

test("a visitor reads the first language that the page speaks", () => {
  assert.equal(languageOf(["fi", "pt-BR", "de"]), "pt");
  assert.equal(languageOf(["de-AT"]), "de");
  assert.equal(languageOf(["fi", "constructor"]), "en");
});

test("odds end at 1 in a billion, which stays true; p is told in digits", () => {
  for (const p of [9e-10, 3.2e-23, 1e-300]) {
    assert.deepEqual([LANGUAGES.en, LANGUAGES.zh, LANGUAGES.ko].map((words) => oneIn(p, words)), ["1 billion", "10亿", "10억"]);
    assert.equal(oddsCell(p, LANGUAGES.en), "fewer than 1 in 1 billion");
  }
  assert.equal(oneIn(1.1e-9, LANGUAGES.en), "900 million");
  assert.equal(oddsCell(2e-9, LANGUAGES.en), "1 in 500 million");
  assert.equal(inDigits(3.768e-23, en), "3.77 × 10⁻²³");
  assert.equal(inDigits(1e-300, en), "1.00 × 10⁻³⁰⁰");
  assert.deepEqual([1, 0.32314, 0.05, 0.0001].map((p) => inDigits(p, en)), ["1", "0.323", "0.05", "0.0001"]);
});

test("bounds are rounded up", () => {
  const said = ["1", "0.0002", "0.0001", "8 × 10⁻³⁸", "1 × 10⁻⁹", "0.02", "4 × 10⁻⁵"];
  assert.deepEqual([1, 0.00012, 9.5e-5, 7.1e-38, 9.9e-10, 0.0123, 4e-5].map((p) => atMost(p, en)), said);
});

test("every sentence has the gaps of the English one", () => {
  const gaps = (sentence: string) => [...sentence.matchAll(/\{\w+\}/g)].map(String).sort();
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (typeof one === "string") {
      assert.equal(typeof other, "string", path);
      assert.notEqual(other, "", path);
      assert.deepEqual(gaps(other as string), gaps(one), path);
      return;
    }
    const [first, second] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
    assert.deepEqual(Object.keys(second).sort(), Object.keys(first).sort(), path);
    for (const key of Object.keys(first)) compare(first[key], second[key], `${path}.${key}`);
  };
  for (const [code, words] of Object.entries(LANGUAGES)) {
    compare(LANGUAGES.en, words, code);
    assert.equal(words.tag.split("-")[0], code);
  }
});

test("what is filled in is taken as it is", () => {
  assert.equal(filled("a {x} b {y}", { x: "{y} $&", y: 1 }), "a {y} $& b 1");
});
