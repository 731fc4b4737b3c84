import assert from "node:assert/strict";
import { test } from "node:test";
import { atMost, inDigits, oddsCell, oneIn, roundedDown } from "../odds";
import en from "../../words/en.json";
import { languageOf } from "../words";
import { LANGUAGES } from "./languages";

test("odds never look rarer than they are, and lose less than half", () => {
  let p = 1;
  for (let n = 0; n < 5000; n += 1) {
    const [digit, exponent] = roundedDown(p);
    assert.ok(digit >= 1 && digit <= 9);
    // In logarithms: 10^320 is not a number.
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
  const said = Object.entries(LANGUAGES).map(([code, words]) => [code, oneIn(2.5e-7, words).replace(/\s/g, " ")]);
  assert.deepEqual(Object.fromEntries(said), {
    en: "4 million",
    ar: "4 ملايين",
    de: "4 Millionen",
    es: "4 millones",
    fr: "4 millions",
    hi: "40 लाख",
    id: "4 juta",
    ja: "400万",
    ko: "400만",
    pt: "4 milhões",
    ru: "4 миллиона",
    tr: "4 milyon",
    vi: "4 triệu",
    zh: "400万",
  });
  assert.equal(oneIn(0.001, LANGUAGES.en), "1,000");
});

test("numbers have the form of the language, in digits that hashes and files have, too", () => {
  for (const [code, words] of Object.entries(LANGUAGES)) {
    const comma = ["de", "es", "fr", "id", "pt", "ru", "tr", "vi"].includes(code) ? "," : ".";
    assert.equal(inDigits(0.0421, words), `0${comma}0421`, code);
    assert.equal(inDigits(1.3e-7, words), `1${comma}30 × 10⁻⁷`, code);
    assert.equal(atMost(0.0123, words), `0${comma}02`, code);
    const day = new Date(Date.UTC(2026, 10, 27)).toLocaleDateString(words.tag, { dateStyle: "long", timeZone: "UTC" });
    assert.match(day, /27/, code);
    assert.match(day, /2026/, code); // by the Gregorian calendar
    assert.match((0.25).toLocaleString(words.tag, { style: "percent" }), /25/, code);
  }
  assert.equal((1234567).toLocaleString(LANGUAGES.hi.tag), "12,34,567");
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
