/** Links with a profile in them, honest and hostile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { BadLink, endOf, LONGEST, markIn } from "../page/links/link";
import type { Packed } from "../page/messages";

const profile = {
  format: "stela-profile/1",
  created_with: "0.2.0",
  language: "en",
  scheme: { name: "kgw", parameters: { delta: 2 } },
  hasher: { name: "keyed", gamma: 0.5, context_width: 1, key_id: "76f15be0", key: "0123456789abcdef" },
  tagger: null,
  k: null,
  window: null,
  calibration: "tokens",
  tokenizer_sha256: "a".repeat(64),
  table_sha256: null,
  vocab_size: 100,
  min_tokens: 8,
  alpha: 0.001,
};
const packed = (content: object, name = "\u8a9e <b>"): Packed => {
  return { name, sha256: "", content: JSON.stringify(content), statement: null, tokenizer: "T", table: null };
};
const own = [packed({ ...profile, tokenizer_sha256: "b".repeat(64) }, "x"), packed(profile, "own")];
const ending = (bytes: Uint8Array | string): string => `#profile=${deflateRawSync(bytes).toString("base64url")}`;
const written = (fields: object): string => ending(JSON.stringify(fields));
const link = { format: "stela-link/1", name: "n", content: JSON.stringify(profile), statement: null };

async function problemOf(hash: string, marks = own): Promise<string> {
  return markIn(hash, marks).then(
    () => "none",
    (error: unknown) => (error instanceof BadLink ? error.problem : `another: ${String(error)}`),
  );
}

test("a link gives back the profile, to the byte, on the tokenizer that the page holds", async () => {
  const mark = { ...packed(profile), statement: "signed \u{1f600}" };
  const end = (await endOf(mark))!;
  assert.ok(end.length < 1200, `${end.length}`);
  const { sha256, ...again } = (await markIn(end, own))!;
  assert.deepEqual({ ...again, sha256: "" }, mark);
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.equal(await markIn("", own), null);
  assert.equal(await markIn("#about-heading", own), null);
});

test("a page without the tokenizer or the table says so", async () => {
  assert.equal(await problemOf(written(link), own.slice(0, 1)), "linkElsewhere");
  const weighed = { ...profile, table_sha256: "c".repeat(64) };
  const end = written({ ...link, content: JSON.stringify(weighed) });
  assert.equal(await problemOf(end), "linkElsewhere");
  const holder = { ...packed({ ...weighed, tokenizer_sha256: "d".repeat(64) }), table: "W" };
  assert.equal((await markIn(end, [...own, holder]))?.table, "W");
});

test("what is too large makes no link", async () => {
  const noise = Array.from({ length: 20_000 }, (_, n) => ((n * 2654435761) >>> 7).toString(36)).join("");
  const numbers = { documents: 1, tests: 4, keys_drawn: 1, mean_z: 0, sd_z: 1, shares: [] };
  const checked = (corpus: string): Packed => packed({ ...profile, null_check: { corpus, corpus_sha256: "c".repeat(64), ...numbers } });
  assert.notEqual(await endOf(checked("c.txt")), null);
  assert.equal(await endOf(checked(noise)), null);
  assert.equal(await endOf(checked(" ".repeat(70_000))), null);
});

test("hostile links are refused in one sentence", async () => {
  const bomb = ending(new Uint8Array(50_000_000));
  const cut = written(link).slice(0, -20);
  const bad = [
    bomb,
    cut,
    `#profile=${"A".repeat(LONGEST + 1)}`,
    "#profile=",
    "#profile=%00",
    "#profile=A",
    "#profile=<script>",
    ending(new Uint8Array([0xff, 0xfe])),
    ending("[".repeat(60_000)),
    ...["[]", "null", "1", "", '"x"', "{}"].map(ending),
    written({ ...link, more: 1 }),
    written({ ...link, format: "stela-link/2" }),
    written({ ...link, name: "" }),
    written({ ...link, name: "x".repeat(201) }),
    written({ ...link, name: 1 }),
    written({ ...link, content: profile }),
    written({ ...link, content: "{" }),
    written({ ...link, statement: {} }),
  ];
  for (const hash of bad) assert.equal(await problemOf(hash), "linkDamaged", hash.slice(0, 60));
});

test("profiles that Python would refuse, or whose verdicts would say nothing, are refused", async () => {
  const hasher = (change: object): object => ({ hasher: { ...profile.hasher, ...change } });
  const changes: object[] = [
    { alpha: 0.9 },
    { alpha: 0 },
    { alpha: "0.001" },
    { min_tokens: 1 },
    { min_tokens: 8.5 },
    { format: "stela-profile/2" },
    { tagger: { name: "penn" } },
    { table_sha256: "x" },
    { tokenizer_sha256: 1 },
    { vocab_size: 1 },
    { scheme: { name: 1 } },
    { scheme: { name: "kgw", parameters: [] } },
    { scheme: { name: "kgw", more: 1 } },
    { scheme: { name: "kgw", parameters: { delta: -5 } } },
    { scheme: { name: "kgw", parameters: { dleta: 2 } } },
    { scheme: { name: "toString" } },
    { scheme: { name: "kgw+__proto__" } },
    { null_check: "junk" },
    hasher({ name: "constructor" }),
    hasher({ parameters: JSON.parse('{"__proto__": 1}') }),
    { more: 1 },
    { __proto__: null, constructor: 1 },
    { language: "x".repeat(21) },
    { message: { code: "whole", bits: 16 } },
    { message: { code: "payload", bits: 17, parameters: { permutation: "keyed" } } },
    { message: { code: "payload", bits: 16, parameters: { most_error: 0.9 } } },
    { message: { code: "payload", bits: 16 } },
    hasher({ key: null }),
    hasher({ key: "0123" }),
    hasher({ key: "0123456789ABCDEF" }),
    hasher({ key_id: null }),
    hasher({ gamma: 0 }),
    hasher({ gamma: 1 }),
    hasher({ gamma: "0.5" }),
    hasher({ context_width: -1 }),
    hasher({ context_width: 1e9 }),
    hasher({ device: "cuda" }),
    hasher({ earlier_keys: [{ key_id: "76f15be0", key: null }] }),
    hasher({ earlier_keys: new Array(16).fill({ key_id: "76f15be0", key: "0123456789abcdef" }) }),
  ];
  for (const change of changes) {
    const end = written({ ...link, content: JSON.stringify({ ...profile, ...change }) });
    assert.equal(await problemOf(end), "linkDamaged", JSON.stringify(change));
  }
  for (const twice of ['"alpha": 1', '"__proto__": {"alpha": 0.9}', '"x": "\\ud800"', `"x": ${"[".repeat(16)}${"]".repeat(16)}`]) {
    const content = `${JSON.stringify(profile).slice(0, -1)}, ${twice}}`;
    assert.equal(await problemOf(written({ ...link, content })), "linkDamaged", twice);
  }
  const two = { ...profile, ...hasher({ earlier_keys: [{ key_id: "76f15be0", key: "0123456789abcdef" }] }) };
  assert.equal(await problemOf(written({ ...link, content: JSON.stringify(two) })), "none");
  const told = { ...profile, message: { code: "payload", bits: 16, parameters: { permutation: "keyed" } } };
  assert.equal(await problemOf(written({ ...link, content: JSON.stringify(told) })), "none");
});
