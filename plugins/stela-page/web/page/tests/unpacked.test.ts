import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, unpacked } from "../unpacked";

test("base 85 is that of Python", async () => {
  // base64.b85encode of these bytes, with & < > as / , .
  assert.deepEqual([...bytesOf("")], []);
  assert.deepEqual([...bytesOf("009C6")], [0, 1, 2, 3]);
  assert.deepEqual([...bytesOf("|NsC0|Nj")], [255, 255, 255, 255, 255, 255]);
  assert.deepEqual([...bytesOf("Xk~0{Zv")], [104, 101, 108, 108, 111]);
});

test("what is damaged is refused", async () => {
  assert.throws(() => bytesOf("00<00"));
  assert.throws(() => bytesOf("00é00"));
  assert.throws(() => bytesOf("~~~~~"));
  await assert.rejects(unpacked("009C6"));
});
