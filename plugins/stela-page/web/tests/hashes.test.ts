/** Buckets of endings, in halves of 32 bits, against the same written with whole numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Alphabet } from "../detector/tagger/alphabet";
import { numbers } from "./made-up";

const ALL = 0xffffffffffffffffn;
const MULTIPLIER = 0x9e3779b97f4a7c15n;
const ENDINGS = Array.from({ length: 4000 }, (_, n) => numbers(n + 1, n % 14).map((x) => x % [0x80, 0x3000, 0x10ffff][n % 3]!));

function plainBuckets(ending: readonly number[], lengths: readonly number[], bits: number): number[] {
  return lengths.map((length) => {
    let key = 1n;
    for (const point of [...ending, 32].slice(0, length)) {
      key = ((key ^ BigInt(point)) * MULTIPLIER) & ALL;
      key ^= key >> 32n;
    }
    return Number(((key * MULTIPLIER) & ALL) >> BigInt(64 - bits));
  });
}

test("buckets of endings are those of whole numbers", () => {
  for (const [lengths, bits] of [[[2, 3, 4, 6, 12], 15], [[1], 20], [[1, 64], 1]] as const) {
    const widths = { delay: 0, char_width: 4, ending_width: 4, width: 4, labels: [], dilations: [] };
    const alphabet = new Alphabet({ characters: "", folded: "", space: [32], lengths, bits, ...widths });
    for (const ending of ENDINGS) assert.deepEqual(alphabet.buckets(ending), plainBuckets(ending, lengths, bits), JSON.stringify(ending));
  }
});
