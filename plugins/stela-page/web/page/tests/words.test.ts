import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { withPdf } from "../files/kinds";
import { counted, filled, type Forms } from "../filled";
import { type Language, languagesOf, NAMES } from "../words";
import { LANGUAGES } from "./languages";

const COUNTED = ["characters", "about", "secretKeys"] as const;
const gaps = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map(String).sort();
const entries = Object.entries(LANGUAGES) as [Language, (typeof LANGUAGES)["en"]][];

test("every sentence has the gaps of the English one", () => {
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (typeof one === "string") {
      assert.equal(typeof other, "string", path);
      assert.notEqual(other, "", path);
      assert.deepEqual(gaps(other as string), gaps(one), path);
      return;
    }
    const [first, second] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
    if ("other" in first) return; // the next test's
    assert.deepEqual(Object.keys(second).sort(), Object.keys(first).sort(), path);
    for (const key of Object.keys(first)) compare(first[key], second[key], `${path}.${key}`);
  };
  assert.deepEqual(Object.keys(LANGUAGES).sort(), Object.keys(NAMES).sort());
  for (const [code, words] of entries) {
    compare(LANGUAGES.en, words, code);
    assert.equal(words.tag.split("-")[0], code);
  }
});

test("numbers have a form for each plural category of the language, with the number unless it stands for just one", () => {
  for (const [code, words] of entries) {
    const rules = new Intl.PluralRules(words.tag);
    const categories = rules.resolvedOptions().pluralCategories;
    for (const name of COUNTED) {
      const { "=1": exact, ...forms } = words[name];
      assert.deepEqual(Object.keys(forms).sort(), [...categories].sort(), `${code}.${name}`);
      const of = new Map<string, number[]>();
      // There is no mark or further key of which there are none.
      for (let n = name === "characters" ? 0 : 1; n < 1200; n += 1) {
        const form = rules.select(n);
        if (exact === undefined || n !== 1) of.set(form, [...(of.get(form) ?? []), n]);
      }
      if (exact !== undefined) assert.deepEqual(gaps(exact), [], `${code}.${name}`);
      for (const [form, numbers] of of) {
        const said = forms[form as keyof typeof forms] as string;
        assert.ok(gaps(said).join() === "{n}" || (numbers.length === 1 && gaps(said).length === 0), `${code}.${name}.${form}`);
      }
    }
  }
});

test("the form of a number is the language's own", () => {
  const said = (code: Language, name: (typeof COUNTED)[number], numbers: number[]): string[] =>
    numbers.map((n) => counted(LANGUAGES[code][name], n, LANGUAGES[code].tag).replace(/[\u2068\u2069]/g, ""));
  assert.deepEqual(said("en", "characters", [0, 1, 2]), ["0 characters", "1 character", "2 characters"]);
  assert.deepEqual(said("fr", "characters", [0, 1, 2]), ["0 caractère", "1 caractère", "2 caractères"]);
  assert.deepEqual(said("ru", "characters", [1, 3, 5, 11, 21, 22, 111]), [
    "1 символ",
    "3 символа",
    "5 символов",
    "11 символов",
    "21 символ",
    "22 символа",
    "111 символов",
  ]);
  assert.deepEqual(said("ar", "characters", [0, 1, 2, 3, 11, 100, 103]), [
    "لا حروف",
    "حرف واحد",
    "حرفان",
    "3 حروف",
    "11 حرفًا",
    "100 حرف",
    "103 حروف",
  ]);
  assert.deepEqual(said("ja", "about", [1, 2]), ["このページが探す透かし", "このページが探す2個の透かし"]);
  assert.equal(said("ru", "about", [1])[0], "Водяной знак, который ищет эта страница");
  assert.equal(said("ru", "about", [21])[0], "21 водяной знак, который ищет эта страница");
  // A form that is missing is the general one.
  assert.equal(counted({ other: "{n} x" } satisfies Forms, 1, "en"), "1 x");
});

test("what lies packed in the page are the words that translators wrote", () => {
  assert.deepEqual(languagesOf(readFileSync("stela_page/built/words.json", "utf8")), LANGUAGES);
});

test("where PDFs are read, the list of kinds goes on as it was", () => {
  for (const [code, { kinds }] of entries) {
    const longer = withPdf(kinds);
    assert.ok(longer.startsWith(kinds) && longer.endsWith(kinds.endsWith("\u2069") ? ".pdf\u2069" : ".pdf"), code);
  }
  assert.equal(withPdf(LANGUAGES.en.kinds), "Files: .txt, .md, .html, .docx, .pdf");
  assert.equal(withPdf(LANGUAGES.ja.kinds), "ファイル：.txt、.md、.html、.docx、.pdf");
  assert.ok(withPdf(LANGUAGES.ar.kinds).endsWith("، \u2066.pdf\u2069"));
});

test("what is filled in is taken as it is", () => {
  assert.equal(filled("a {x} b {y}", { x: "{y} $&", y: 1 }), "a {y} $& b 1");
});
