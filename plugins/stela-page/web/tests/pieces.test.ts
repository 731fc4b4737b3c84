/** Each piece of the detector against what Python gives (scripts/write_vectors.py). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import canonicalVectors from "../../../../plugins/stela-detection/tests/canonical/canonical_vectors.json";
import smallTokenizer from "../../../stela-tiny/stela_tiny/small/tokenizer.json";
import { canonicalText } from "../detector/canonical/text";
import { prefixEnds } from "../detector/evidence/prefix";
import { type HasherPart, hasherOf } from "../detector/hashers";
import { libraryNfc, pythonNfc } from "../detector/normal-form";
import { twoDigits } from "../detector/standing";
import { leastP, scoreOf, type Scoring } from "../detector/statistics/grouped";
import { erfc } from "../detector/statistics/normal";
import { KNOWN_PATTERNS, translated } from "../detector/tokenizer/patterns";
import type { TokenBytes } from "../detector/tokenizer/token-bytes";
import { Tokenizer } from "../detector/tokenizer/tokenizer";
import { type MadeUp, signalsOf } from "./made-up";
import vectors from "./vectors.json";

function close(actual: number, expected: number, relative: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= relative * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}

test("hashers draw what Python draws, to the bit", () => {
  for (const { part, key, contexts, tokens, draws } of vectors.hashers) {
    const coinAfter = hasherOf(part as HasherPart).under(key);
    contexts.forEach((context, n) => {
      coinAfter(context)
        .draws(tokens[n]!)
        .forEach((draw, d) => close(draw, draws[n]![d]!, 4e-16, `${part.name} of ${key}`));
    });
  }
});

test("scores and their least p-values are Python's", () => {
  for (const one of vectors.scores) {
    const signals = signalsOf(one as MadeUp);
    const scoring = { repeats: one.rule, ties: one.ties } as Scoring;
    const what = JSON.stringify(one);
    const score = scoreOf(signals, scoring);
    close(score.p, one.p, 1e-10, what);
    assert.ok(Math.abs(score.z - one.z) < 1e-9 * (1 + Math.abs(one.z)), what);
    assert.ok(Math.abs(score.zPlain - one.z_plain) < 1e-9 * (1 + Math.abs(one.z_plain)), what);
    close(leastP(signals, scoring), one.least, 1e-9, what);
  }
});

test("the normal tail is Python's", () => {
  for (const [x, expected] of vectors.erfc) close(erfc(x!), expected!, 1e-13, `erfc(${x})`);
});

test("numbers are rounded to two digits as Python rounds them", () => {
  for (const [number, text] of vectors.two_digits) assert.equal(twoDigits(number as number), text);
});

test("patterns cut where the tokenizers' library cuts", () => {
  assert.deepEqual(KNOWN_PATTERNS, vectors.pieces.map(({ pattern }) => pattern));
  for (const { pattern, cuts } of vectors.pieces) {
    const regex = translated(pattern);
    vectors.texts.forEach((text, n) => assert.deepEqual(text.match(regex) ?? [], cuts[n]));
  }
});

test("a tokenizer gives the library's ids, and its tokens are pieces of the text", () => {
  const tokenizer = new Tokenizer(smallTokenizer);
  vectors.texts.forEach((text, n) => {
    const { ids, starts, ends } = tokenizer.encode(text);
    assert.deepEqual(ids, vectors.tiny_small[n]);
    assert.equal(starts.map((start, t) => text.slice(start, ends[t])).join(""), text);
  });
});

test("a rewritten text's tokens are pieces of the text as given", () => {
  const tokenizer = new Tokenizer({ ...smallTokenizer, normalizer: { type: "NFC" } });
  for (const text of ["cafe\u0301 au lait", "\u1112\u1161\u11ab\u1100\u116e\u11a8 e\u0301", "x".repeat(9)]) {
    const { starts, ends } = tokenizer.encode(text);
    assert.equal(starts.map((start, t) => text.slice(start, ends[t])).join(""), text);
  }
});

test("normal forms are those of the library and of Python, whatever Unicode the browser knows", () => {
  for (const [text, expected] of vectors.library_nfc) assert.equal(libraryNfc(text!), expected);
  for (const [text, expected] of vectors.python_nfc) assert.equal(pythonNfc(text!), expected);
});

test("canonical forms are those of the vectors for all implementations", () => {
  for (const { name, text, canonical } of canonicalVectors) assert.equal(canonicalText(text).text, canonical, name);
});

test("bytes in pieces become text where Python's decoder says", () => {
  for (const { pieces, text, ends } of vectors.prefix) {
    const bytes = { of: (id: number) => Uint8Array.from(Buffer.from(pieces[id]!, "hex")) } as unknown as TokenBytes;
    assert.deepEqual(prefixEnds(pieces.map((_, n) => n), bytes), { text, ends });
  }
});

test("the sources ask no clock, no network and no random number", () => {
  const program = readFileSync(process.argv[1]!, "utf8").split("//# sourceMappingURL")[0]!;
  const detector = program.slice(program.indexOf("/detector/"));
  assert.doesNotMatch(detector, /Math\.random|Date\.now|fetch\(|XMLHttpRequest/);
});
