import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../script";

const ENGLISH = "The river rose by two metres in the night, and the mill stood in it.";
const CHINESE = "河水一夜之间上涨了两米，磨坊泡在水里。";
const JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
const KOREAN = "강물이 밤사이에 이 미터나 불어나서 방앗간이 물에 잠겼다.";
const RUSSIAN = "За ночь река поднялась на два метра, и мельница стояла в воде.";
const ARABIC = "ارتفع النهر مترين في الليل وغرقت الطاحونة.";

test("a text fits the languages that are written in its script", () => {
  const own = { en: ENGLISH, zh: CHINESE, ja: JAPANESE, ko: KOREAN, ru: RUSSIAN, ar: ARABIC };
  for (const [language, text] of Object.entries(own)) {
    for (const other of Object.keys(own)) assert.equal(fits(text, other), other === language, `${language} as ${other}`);
    assert.ok(fits(text, null));
  }
  assert.ok(fits(ENGLISH, "fr") && fits(RUSSIAN, "uk"));
});

test("names in another script, and texts without letters, fit all the same", () => {
  assert.ok(fits(`${ENGLISH} ${RUSSIAN.slice(0, 20)}`, "en"));
  assert.ok(fits(`${CHINESE}${CHINESE} (STELA, 2026)`, "zh"));
  assert.ok(fits("1234 5678 !?", "en") && fits("", "en") && fits("猫", "en"));
  assert.ok(fits(JAPANESE, "no language at all"));
});

test("a long text is looked at in three places", () => {
  const long = `${ENGLISH.repeat(50)}${JAPANESE.repeat(3000)}`;
  assert.ok(!fits(long, "en") && fits(long, "ja"));
});
