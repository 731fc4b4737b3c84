/** Taggers against spaCy: the shipped rules, with numbers that both sides make up (scripts/write_tag_vectors.py). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TagWeights } from "../detector/evidence/tag-weights";
import { type TaggerFile, taggerFile } from "../detector/tagger/file";
import { hashOfString, rowsOf } from "../detector/tagger/hashes";
import { Tagger } from "../detector/tagger/tagger";
import { windowStarts } from "../detector/tagger/windows";
import { UnsupportedProfile } from "../detector/types";
import { cpu, prose } from "./load";
import { numbers } from "./made-up";
import vectors from "./tags.json";

function fileOf(number: number): TaggerFile {
  const { head, numbers: drawn } = vectors.taggers[number]!;
  const made = drawn.flatMap(([seed, count]) => numbers(seed!, count!).map((x) => (x >>> 20) / 2048 - 1));
  return { ...head, characters: vectors.characters, numbers: Float32Array.from(made) } as unknown as TaggerFile;
}
const files = vectors.taggers.map((_, number) => fileOf(number));

/** Chinese characters in no order, some of them punctuation. */
function han(length: number): string {
  return String.fromCharCode(...numbers(3, length).map((x) => (x % 11 ? 0x4e00 + ((x >>> 8) % 3000) : 0x3001 + ((x >>> 8) % 2))));
}

vectors.taggers.forEach(({ head, windows, tags }, number) => {
  const name = `${head.name}:${head.model}`;

  test(`${name} gives the last tags that spaCy gives to whole windows`, () => {
    const tagger = new Tagger(files[number]!);
    windows.forEach((window, n) => assert.deepEqual(tagger.lastTags(window, vectors.count), tags[n], JSON.stringify(window)));
    windows.forEach((window, n) => assert.deepEqual(tagger.lastTags(window, 1), tags[n]!.slice(-1), JSON.stringify(window)));
    assert.ok(new Set(tags.flat()).size > 9); // of a network that tells words apart
  });

  test(`${name} gives windows together the tags of each by itself`, () => {
    const tagger = new Tagger(files[number]!);
    const each = windows.map((window) => new Tagger(files[number]!).lastTags(window, vectors.count));
    assert.deepEqual(each, tags);
    for (const count of [1, 7, 64]) {
      for (let from = 0; from < windows.length; from += count) {
        const some = windows.slice(from, from + count);
        assert.deepEqual(tagger.lastTagsOf(some, vectors.count), tags.slice(from, from + count));
      }
    }
    const long = `${windows[0]!} ${"x".repeat(12_000)}`; // more than is cut at once
    assert.deepEqual(tagger.lastTagsOf([windows[1]!, long], 3), [tagger.lastTags(windows[1]!, 3), tagger.lastTags(long, 3)]);
  });

  test(`${name} gives tokens together the scores of each, to the bit`, () => {
    const [one, together] = [new Tagger(files[number]!).network, new Tagger(files[number]!).network];
    const columns = 1 + Math.max(...head.network.tables.map(({ column }) => column));
    const features = Array.from({ length: 40 }, (_, n) => Array.from({ length: columns }, (_, c) => `${c}${(7 * n) % (c + 5)}`));
    const tokens = features.map((each) => one.embed(each, hashOfString));
    assert.deepEqual(together.embedAll(features, hashOfString), tokens);
    const around = Array.from({ length: 60 }, (_, n) => numbers(n + 1, 5).map((x) => x % (tokens.length + 1)));
    together.prepare(around);
    for (const each of around) {
      assert.deepEqual(together.scores(each), one.scores(each));
      assert.equal(together.label(each), one.label(each));
    }
  });

  // English is held to what all of the page is; Korean and Chinese have more tokens, and words that are not text are worst.
  const limit = head.unit === "word" && head.name === "penn" ? 2000 : 6000;
  test(`${name}, 10,000 characters: less than ${limit / 1000} s`, () => {
    const tagger = new Tagger(files[number]!);
    const { unit } = tagger.identity;
    const text = unit === "word" ? prose(10_000) : han(10_000);
    // A token has about four letters of English, and a character and a half of Chinese.
    const ends = Array.from({ length: unit === "word" ? 2500 : 6600 }, (_, n) => Math.round(unit === "word" ? 4 * n : 1.5 * n));
    const weigher = new TagWeights(tagger, { behind: (last) => last.length }, 4, unit === "word" ? 6 : 32, unit);
    const took = cpu(() => weigher.weights(text, ends));
    assert.ok(took < limit, `${took} ms`);
  });
});

test("what a tagger remembers does not change what it says", () => {
  const { windows, tags } = vectors.taggers[0]!;
  const tagger = new Tagger(files[0]!);
  tagger.network.isFull = () => true; // forgets all before each window
  windows.slice(0, 40).forEach((window, n) => assert.deepEqual(tagger.lastTags(window, vectors.count), tags[n]));
});

test("windows that two readings of a long text share are tagged once", () => {
  const tagger = new Tagger(files[0]!);
  let asked = 0;
  tagger.lastTagsOf = (windows) => {
    asked += windows.length;
    return windows.map((window) => [window]);
  };
  const weigher = new TagWeights(tagger, { behind: ([window]) => window!.length }, 4, 6, "word");
  const text = prose(800_000);
  const ends = Array.from({ length: 100_000 }, (_, n) => 8 * n);
  const first = weigher.weights(text, ends);
  const tagged = asked;
  assert.ok(tagged > 90_000);
  const other = weigher.weights(`${text.slice(0, 400_000)}X${text.slice(400_000)}`, ends);
  assert.ok(asked - tagged < 60_000, `${asked - tagged} of ${tagged} again`);
  assert.deepEqual(other.subarray(0, 50_000), first.subarray(0, 50_000));
});

test("a file is read back, and a damaged one refused in one line", () => {
  const { numbers: made, ...head } = files[0]!;
  const line = new TextEncoder().encode(`${JSON.stringify(head)}\n`);
  const bytes = new Uint8Array([...line, ...new Uint8Array(made.buffer)]);
  const read = taggerFile(bytes);
  assert.deepEqual(read.numbers, made);
  assert.equal(new Tagger(read).identity.fingerprint, head.fingerprint);
  assert.throws(() => new Tagger(taggerFile(bytes.subarray(0, -8))), UnsupportedProfile);
  assert.throws(() => taggerFile(new TextEncoder().encode('{"format":"stela-tagger/2"}\n')), UnsupportedProfile);
});

test("hashes are murmurhash's and thinc's", () => {
  for (const [text, hash] of vectors.strings) assert.equal(hashOfString(text as string), BigInt(hash as string));
  for (const [id, seed, size, rows] of vectors.rows as [string, number, number, number[]][]) {
    assert.deepEqual(rowsOf(BigInt(id), seed, size), rows);
  }
});

test("windows begin where Python's begin", () => {
  const { space } = new Tagger(files[0]!).characters;
  for (const { text, window, unit, ends, starts } of vectors.starts) {
    assert.deepEqual(windowStarts(text, ends, window, unit as "word" | "character", space), starts, JSON.stringify(text));
  }
});
