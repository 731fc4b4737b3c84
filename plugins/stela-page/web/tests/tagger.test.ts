/** Causal taggers against Python's: one of random weights (scripts/write_tag_vectors.py), and one as large as English's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TagWeights } from "../detector/evidence/tag-weights";
import { BLOCKS, FIRST_UNKNOWN, type TaggerFile, taggerFile } from "../detector/tagger/file";
import { Tagger } from "../detector/tagger/tagger";
import { windowStarts } from "../detector/tagger/windows";
import { UnsupportedProfile } from "../detector/types";
import { cpu, prose } from "./load";
import { numbers } from "./made-up";
import vectors from "./tags.json";

const BYTES = Uint8Array.from(Buffer.from(vectors.tagger, "base64"));
const FILE = taggerFile(BYTES);
const { count } = vectors;
/** Taggers of each kind: of words, of characters with syllables, of two networks with known pairs. */
const KINDS = [vectors, ...vectors.others].map((one) => ({ ...one, file: taggerFile(Uint8Array.from(Buffer.from(one.tagger, "base64"))) }));

/** A tagger of made-up weights, in so many layers as the shipped ones have. */
function large(width: number): TaggerFile {
  const size = { char_width: 32, ending_width: 16, width, bits: 12, lengths: [2, 3, 4, 6, 12], dilations: [1, 2, 4, 6], delay: 3 };
  const labels = Array.from({ length: 17 }, (_, n) => `T${n}`);
  const known = FIRST_UNKNOWN + BLOCKS + FILE.characters.length;
  const given = known * 32 + 5 * (16 << 12) + width * (3 * (112 + 3 * width) + 4) + 4 * 18 * (width + 1);
  const drawn = numbers(1, 1 << 16);
  const made = Float32Array.from({ length: given }, (_, n) => ((drawn[n % 65_521]! >>> 20) / 2048 - 1) / 8);
  return { ...FILE, ...size, labels, numbers: made };
}

for (const { file, texts } of KINDS) test(`the last tags of windows are Python's: ${file.labels_at ?? "last"}`, () => {
  const tagger = new Tagger(file);
  const said = texts.map(({ text, starts, ends }) => tagger.lastTagsOf(text, starts, ends, count));
  said.forEach((tags, n) => assert.deepEqual(tags, texts[n]!.tags, JSON.stringify(texts[n]!.text)));
  texts.forEach(({ text, starts, ends, tags }) => {
    assert.deepEqual(tagger.lastTagsOf(text, starts, ends, 1), tags.map((each) => each.slice(-1)));
    assert.deepEqual(tagger.lastTagsOf(text, starts, ends, 0), tags.map(() => []));
  });
  assert.ok(new Set(said.flat(2)).size === 5); // of a network that tells words apart
  assert.deepEqual(tagger.lastTagsOf("", [], [], 1), []);
});

for (const { file, texts } of KINDS) test(`a window has the tags that it has by itself, whatever was asked before: ${file.labels_at ?? "last"}`, () => {
  const [tagger, full] = [new Tagger(file), new Tagger(file)];
  Object.defineProperty(full.networks[0]!, "isFull", { value: true }); // forgets all before each window
  for (const { text, starts, ends, tags } of texts) {
    const each = starts.map((start, n) => tagger.lastTagsOf(text.slice(start, ends[n]), [0], [ends[n]! - start], count)[0]);
    assert.deepEqual(each, tags);
    assert.deepEqual(full.lastTagsOf(text, starts, ends, count), tags);
  }
});

for (const { file, texts } of KINDS) test(`scores of double precision, in another order, give the tags of Python's sums: ${file.labels_at ?? "last"}`, () => {
  const tagger = new Tagger(file);
  tagger.near = Infinity; // all are worked out both ways
  let [most, compared] = [0, 0];
  tagger.margin = (_, apart) => {
    if (apart === undefined) return;
    most = Math.max(most, apart);
    compared++;
  };
  for (const { text, starts, ends, tags } of texts) assert.deepEqual(tagger.lastTagsOf(text, starts, ends, count), tags);
  assert.ok(compared > (file.labels_at ? 100 : 300));
  assert.ok(most > 0 && most < 2e-4, `${most}`);
});

for (const [width, limit] of [[64, 1500], [128, 3000]] as const) {
  test(`10,000 characters by a network ${width} wide: less than ${limit / 1000} s`, () => {
    const tagger = new Tagger(large(width));
    const ends = Array.from({ length: 2500 }, (_, n) => 4 * n); // a token has about four letters
    const weigher = new TagWeights(tagger, { behind: (last) => last.length }, 2, 8, "word");
    const took = cpu(() => weigher.weights(prose(10_000), ends));
    assert.ok(took < limit, `${took} ms`);
  });
}

test("windows that two readings of a long text share are tagged once", () => {
  const tagger = new Tagger(FILE);
  let asked = 0;
  tagger.lastTagsOf = (text, starts, ends) => {
    asked += starts.length;
    return starts.map((start, n) => [text.slice(start, ends[n])]);
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

test("a damaged file is refused in one line", () => {
  const end = BYTES.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(BYTES.subarray(0, end))) as Record<string, unknown>;
  const changed = (fields: object, weights = BYTES.subarray(end)): Uint8Array =>
    new Uint8Array([...new TextEncoder().encode(JSON.stringify({ ...head, ...fields })), ...weights]);
  assert.deepEqual(taggerFile(changed({})).numbers, FILE.numbers);
  const notANumber = BYTES.slice(end);
  notANumber.set([0, 0x7e], 1);
  const infinite = BYTES.slice(end);
  infinite.set([0, 0xfc], 9);
  const damaged = [
    changed({}, BYTES.subarray(end, -2)),
    changed({}, notANumber),
    changed({}, infinite),
    ...[{ format: "stela-tagger/1" }, { bits: 40 }, { bits: 2.5 }, { width: 10 }, { width: "12" }, { width: -12 }, { delay: 17 }, { lengths: [] }],
    ...[{ lengths: [3, 2, 6] }, { lengths: "236" }, { lengths: [2, 3, 65] }, { dilations: [1, 0] }, { dilations: [1, 1e9] }, { labels: [] }],
    ...[{ labels: { length: 4 } }, { labels: [1, 2, 3, 4] }, { folded: "" }, { characters: "aa" }, { characters: null }, { space: [-1] }, { space: 3 }],
    ...[{ labels_at: "all" }, { pairs: "a" }, { kinds: [[0, 1, 300, -1]] }, { syllables: true }, { boundaries: { width: 8, dilations: [1], pairs: 0 } }],
  ].map((one) => (one instanceof Uint8Array ? one : changed(one)));
  for (const one of [...damaged, new Uint8Array(0), new TextEncoder().encode("[]\n"), new TextEncoder().encode("null\n")]) {
    assert.throws(() => taggerFile(one), UnsupportedProfile);
  }
});

test("windows begin where Python's begin", () => {
  const { space } = new Tagger(FILE);
  for (const { text, window, unit, ends, starts } of vectors.starts) {
    assert.deepEqual(windowStarts(text, ends, window, unit as "word" | "character", space), starts, JSON.stringify(text));
  }
});
