import assert from "node:assert/strict";
import { test } from "node:test";
import smallTokenizer from "../../../../stela-tiny/stela_tiny/small/tokenizer.json";
import { openProfile } from "../../detector/index";
import type { Detector } from "../../detector/types";
import { prose } from "../../tests/load";
import { sampleIn } from "../sample";
import { Warming } from "../warming";
import { LANGUAGES } from "../words";
import { LANGUAGES as WRITTEN } from "./languages";

const SHORTEST = 64;

Object.assign(LANGUAGES, WRITTEN); // as the page does before it opens a profile

function opened(): Promise<Detector> {
  const profile = {
    format: "stela-profile/1",
    created_with: "0.2.0",
    tokenizer_sha256: "0".repeat(64),
    vocab_size: 4096,
    scheme: { name: "kgw", parameters: { repeats: "fourth-root", ties: "split" } },
    hasher: { name: "keyed", gamma: 0.5, context_width: 1, key_id: "76f15be0", key: "0123456789abcdef" },
    min_tokens: 8,
  };
  return openProfile({ profile, tokenizer: smallTokenizer, table: null, name: "test", sha256: "" });
}

/** A detector that counts the texts that it is given. */
function counting(detector: Detector): { detector: Detector; texts: string[] } {
  const texts: string[] = [];
  const detectWithPassages: Detector["detectWithPassages"] = (text, shortest) => {
    texts.push(text);
    return detector.detectWithPassages(text, shortest);
  };
  return { detector: Object.assign(Object.create(detector) as Detector, { detectWithPassages }), texts };
}

test("a text that was warmed for has the detection that it had", async () => {
  const [cold, warm] = [await opened(), await opened()];
  await new Warming().warm(warm, sampleIn("en"), SHORTEST);
  const text = prose(3000);
  assert.deepEqual(warm.detectWithPassages(text, SHORTEST), cold.detectWithPassages(text, SHORTEST));
});

test("it stops when a visitor's text comes, between two pieces", async () => {
  const { detector, texts } = counting(await opened());
  const warming = new Warming();
  const done = warming.warm(detector, sampleIn("en"), SHORTEST);
  warming.stop(); // the first piece was tested at once
  await done;
  await warming.warm(detector, sampleIn("en"), SHORTEST);
  assert.deepEqual(texts, [sampleIn("en").slice(0, 400)]);
});

test("the words are those of the language where the page speaks it", () => {
  assert.ok(sampleIn("de").includes(WRITTEN.de.lead) && sampleIn("de").length === 4000);
  for (const other of [null, "fi", "toString"]) assert.equal(sampleIn(other), sampleIn("en"));
});
