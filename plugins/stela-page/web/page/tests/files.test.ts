/** Files that the page does not read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf, Unreadable } from "../files/read";

test("an ending that every object has a field of is of no kind", async () => {
  for (const ending of ["constructor", "toString", "__proto__", "rtf"]) {
    const file = new File(["a text"], `notes.${ending}`);
    await assert.rejects(textOf(file), (error) => error instanceof Unreadable && error.problem === "kind", ending);
  }
  assert.equal(await textOf(new File(["a text"], "notes.TXT")), "a text");
});
