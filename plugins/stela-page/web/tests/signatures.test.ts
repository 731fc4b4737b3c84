/** Signatures as stela-sign makes and checks them: signatures.json is what scripts/write_signatures.py writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical } from "../signing/canonical";
import { signatureOf } from "../signing/profile-signature";
import { statementOf } from "../signing/statement";
import { profile, statements as cases } from "./signatures.json";

test("statements hold here where they hold there", () => {
  assert.ok(cases.some((one) => one.holds) && cases.some((one) => !one.holds));
  for (const { text, holds } of cases) assert.equal(statementOf(text, "profile") !== null, holds, text.slice(0, 300));
});

test("no letter of a signed statement can be changed", () => {
  const text = cases[1]!.text.trim();
  const spare = text.indexOf('=="') - 1; // four bits of this letter of base64 are read nowhere
  for (let at = 0; at < text.length; at += 1) {
    if (at === spare) continue;
    const letter = text[at] === "a" ? "b" : "a";
    assert.equal(statementOf(text.slice(0, at) + letter + text.slice(at + 1), "profile"), null, `at ${at}`);
  }
});

test("canonical JSON is that of RFC 8785", () => {
  // Appendix B and section 3.2.3 of the RFC.
  assert.equal(canonical([-0, 1e21, 1e-7, 9007199254740992, 4.5, 2e-3]), "[0,1e+21,1e-7,9007199254740992,4.5,0.002]");
  const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  assert.equal(canonical(names), '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
  assert.throws(() => canonical({ a: "\ud800" }));
});

test("a signature is that of one profile, with its tokenizer and table", () => {
  const files = { ...profile, tokenizer: utf8ToBytes(profile.tokenizer), table: utf8ToBytes(profile.table) };
  const { key } = statementOf(profile.statement, "profile")!;
  assert.deepEqual(signatureOf(files), { state: "holds", key, maker: "M", time: "2026-11-22T12:00:00Z" });
  assert.deepEqual(signatureOf({ ...files, statement: null }), { state: "none" });
  const changed = [
    { content: `${profile.content} ` },
    { content: profile.content.replace("\u8a9e", "x") },
    { tokenizer: utf8ToBytes("{}") },
    { table: utf8ToBytes("{}") },
    { table: null },
    { statement: cases[1]!.text },
    { statement: "" },
  ];
  for (const change of changed) assert.deepEqual(signatureOf({ ...files, ...change }), { state: "broken" });
});
