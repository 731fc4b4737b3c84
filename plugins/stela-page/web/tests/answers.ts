/**
 * What the detector says of texts, for scripts/parity.py: `node answers.mjs FOLDER` reads job.json there and writes
 * answers.jsonl, a line for each text under each profile that it asks for.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProfileDetector } from "../detector/detecting";
import { MalformedText, type Marked } from "../detector/types";

interface Job {
  profiles: { profile: string; tokenizer: string; table: string | null; tagger: string | null; expected: Marked }[];
  /** For each text its number, and the number of a profile. */
  asked: { text: number; profile: number; passages: boolean }[];
  texts: string[];
}

const folder = process.argv[2]!;
const job = JSON.parse(readFileSync(join(folder, "job.json"), "utf8")) as Job;
const parsed = new Map<string, unknown>();
const read = (name: string): unknown => {
  if (!parsed.has(name)) parsed.set(name, JSON.parse(readFileSync(join(folder, name), "utf8")));
  return parsed.get(name);
};
const taggers = new Map<string, Uint8Array>();
const tagger = (name: string): Uint8Array => {
  const bytes = taggers.get(name) ?? new Uint8Array(readFileSync(join(folder, name)));
  taggers.set(name, bytes);
  return bytes;
};
const detectors = job.profiles.map(({ profile, tokenizer, table, tagger: name, expected }) => {
  const files = { profile: read(profile), tokenizer: read(tokenizer), table: table === null ? null : read(table) };
  return new ProfileDetector({ ...files, ...expected, tagger: name === null ? null : tagger(name), name: profile, sha256: "" });
});
/** Scored tokens from which on passages are looked for, as by the page. */
const SHORTEST = 64;
/** Characters of a text in front of a place in UTF-16 units, as Python counts. */
const points = (text: string, place: number): number => [...text.slice(0, place)].length;

const lines = job.asked.map(({ text: number, profile, passages }) => {
  const text = job.texts[number]!;
  const detector = detectors[profile]!;
  const begun = performance.now();
  try {
    const detection = detector.detect(text, { passages });
    const ms = performance.now() - begun;
    // The page asks for both at once, which takes a short cut.
    const whole = passages ? detector.detect(text) : detection;
    const both = detector.detectWithPassages(text, SHORTEST);
    const looked = passages && whole.scored_tokens >= SHORTEST;
    // A message is told beside passages, too, whatever the verdict on the whole text.
    const message = both.passages.length && both.message ? { message: both.message } : {};
    assert.deepEqual(both, { ...whole, ...message, passages: looked ? detection.passages : both.passages });
    return JSON.stringify({
      ...detection,
      tokens: detection.tokens.map(({ text: token, green, weight }) => [token, green, weight]),
      passages: detection.passages.map(({ start, end, p_value }) => [points(text, start), points(text, end), p_value]),
      passage_texts: detection.passages.map(({ start, end }) => text.slice(start, end)),
      ids: detector.idsOf(text),
      ms,
    });
  } catch (error) {
    if (error instanceof MalformedText) return JSON.stringify({ refused: error.message });
    throw error;
  }
});
writeFileSync(join(folder, "answers.jsonl"), lines.join("\n") + "\n");
