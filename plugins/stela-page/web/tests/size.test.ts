/** Long and hostile texts: time that grows with the length, and no stack that runs out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import smallTokenizer from "../../../stela-tiny/stela_tiny/small/tokenizer.json";
import { openProfile } from "../detector/index";
import { MalformedText, UnsupportedProfile } from "../detector/types";
import { cpu, prose } from "./load";

const scoring = { repeats: "fourth-root", ties: "split" };

function files(scheme: string, hasher: object): Parameters<typeof openProfile>[0] {
  const profile = {
    format: "stela-profile/1",
    created_with: "0.2.0",
    tokenizer_sha256: "0".repeat(64),
    vocab_size: 4096,
    scheme: { name: scheme, parameters: scoring },
    hasher: { key_id: "76f15be0", key: "0123456789abcdef", ...hasher },
    min_tokens: 8,
  };
  return { profile, tokenizer: smallTokenizer, table: null, name: "test", sha256: "" };
}

const KGW = files("kgw", { name: "keyed", gamma: 0.5, context_width: 1 });
const GUMBEL = files("gumbel", { name: "gumbel", context_width: 4 });

for (const [name, profile] of [["kgw", KGW], ["gumbel", GUMBEL]] as const) {
  test(`10,000 characters under ${name} take less than 2 s, with passages`, async () => {
    const detector = await openProfile(profile);
    const text = prose(10_000);
    const took = cpu(() => detector.detect(text, { passages: true }));
    assert.ok(took < 2000, `${took} ms`);
  });
}

test("hostile texts take time that grows with their length", async () => {
  const detector = await openProfile(KGW);
  const hostile = {
    spaces: " ",
    "line breaks": "\n",
    marks: "\u0301",
    joiners: "\u200d",
    "ampersands escaped again": "&amp;",
    "soft hyphens": "\u00ad ",
    backslashes: "\\",
    "quote marks": "> ",
    "letters in costume": "\u{1d400}",
    "one letter": "a",
    emoji: "\u{1f468}\u200d\u{1f469}\ufe0f",
    "special tokens": "<|end|>",
    "half words": "<|",
  };
  for (const [name, piece] of Object.entries(hostile)) {
    const took = cpu(() => detector.detect(piece.repeat(Math.ceil(50_000 / piece.length))));
    assert.ok(took < 4000, `${name}: ${took} ms`);
  }
});

test("half characters are refused, and the empty text is too short to say", async () => {
  const detector = await openProfile(KGW);
  assert.throws(() => detector.detect("a\ud800b"), MalformedText);
  const { verdict, p_value, scored_tokens, tokens } = detector.detect("");
  assert.deepEqual({ verdict, p_value, scored_tokens, tokens }, { verdict: "insufficient text", p_value: 1, scored_tokens: 0, tokens: [] });
});

test("a page does not open what it cannot test exactly", async () => {
  const secret = files("kgw", { name: "keyed", gamma: 0.5, context_width: 1, key: null });
  await assert.rejects(openProfile(secret), UnsupportedProfile);
  await assert.rejects(openProfile(files("learned-text", { name: "keyed", context_width: 1 })), UnsupportedProfile);
  await assert.rejects(openProfile(files("stela", { name: "keyed", context_width: 1 })), UnsupportedProfile);
});
