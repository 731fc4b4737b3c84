/** The expected power that Python gives (scripts/write_vectors.py). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { powerOf } from "../detector/statistics/power";
import type { Marked } from "../detector/types";
import vectors from "./vectors.json";

test("the expected power is Python's, for repeats, layers and messages", () => {
  const said = new Set<number>();
  for (const { groups, gamma, alpha, marked, power } of vectors.power) {
    const law = { draws: "bernoulli", gamma, parts: [1], largest: 1 } as const;
    const signals = { draws: new Float64Array(groups.length), weights: new Float64Array(groups.length).fill(1), groups: Int32Array.from(groups), law };
    const got = powerOf([signals], "fourth-root", alpha, marked as unknown as Marked)!;
    assert.ok(Math.abs(got - power) < 1e-9, `${got} for ${power}`);
    said.add(Math.round(10 * power));
  }
  assert.ok(said.size > 5);
});

test("nothing is said of marks of which nothing is known", () => {
  const law = { draws: "bernoulli", gamma: 0.5, parts: [1], largest: 1 } as const;
  const one = { draws: new Float64Array(1), weights: new Float64Array(1), groups: new Int32Array(1), law };
  assert.equal(powerOf([one], "root", 0.001, {}), undefined);
  assert.equal(powerOf([one], "root", 0.001, { freedom: [2, 0.9, 0.1] }), 0); // no weight
});
