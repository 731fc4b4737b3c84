/** Seeds of many contexts against the library's BLAKE2b, one by one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOf, seedsUnder } from "../detector/hashing/seeds";
import { numbers } from "./made-up";

test("seeds of contexts of every length are the library's", () => {
  for (let width = 0; width <= 40; width++) {
    for (let n = 0; n < 25; n++) {
      const [low, high] = numbers(100 * width + n + 1, 2) as [number, number];
      const seedAfter = seedsUnder({ low, high });
      for (const seed of [n + 7, n + 9000]) {
        const context = numbers(seed, width).map((x) => (n % 2 ? x : x % 262_144));
        assert.deepEqual(seedAfter(context), seedOf({ low, high }, context));
      }
    }
  }
});

test("seeds under one key do not disturb those under another", () => {
  const [one, other] = [{ low: 1, high: 2 }, { low: 3, high: 4 }];
  const [first, second] = [seedsUnder(one), seedsUnder(other)];
  for (const context of [[0], [1, 2, 3], [0xffffffff, 0]]) {
    assert.deepEqual([first(context), second(context)], [seedOf(one, context), seedOf(other, context)]);
  }
});
