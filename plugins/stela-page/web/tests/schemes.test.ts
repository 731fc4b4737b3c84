/** What the page knows of schemes: settings come from Python, and what weighs their evidence is written here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EVIDENCE } from "../detector/profile";
import { SCHEME_PARTS } from "../detector/reading/parts";

test("each scheme whose settings are known has something to weigh its evidence by", () => {
  assert.deepEqual([...EVIDENCE.keys()].sort(), [...SCHEME_PARTS.keys()].sort());
});
