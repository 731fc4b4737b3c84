/** Numbers of pairs and contexts against lists of their texts; sums of windows against each window by itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Evidence } from "../detector/evidence/evidence";
import { coloured, type Weighed } from "../detector/evidence/evidence";
import { Contexts, Pairs } from "../detector/evidence/numbering";
import { contextAt } from "../detector/evidence/positions";
import { type HasherPart, hasherOf } from "../detector/hashers";
import { meanOf, varianceOf } from "../detector/law";
import { triedWindows } from "../detector/passages/tried-windows";
import { type Repeats, shareOf } from "../detector/statistics/grouped";
import { logNormalTail } from "../detector/statistics/normal";
import { numbers } from "./made-up";
import vectors from "./vectors.json";

test("pairs are numbered in the order in which they come", () => {
  for (const [count, kinds] of [[10, 3], [5000, 40], [20_000, 5000]] as const) {
    const known = new Map<string, number>();
    const pairs = new Pairs();
    const [ones, others] = [numbers(1, count), numbers(2, count)];
    ones.forEach((drawn, n) => {
      const [one, other] = [(drawn % kinds) - 1, others[n]! % kinds];
      const name = `${one}/${other}`;
      if (!known.has(name)) known.set(name, known.size);
      assert.equal(pairs.of(one, other), known.get(name));
    });
    assert.equal(pairs.size, known.size);
  }
});

test("contexts are numbered in the order in which they come", () => {
  const ids = numbers(3, 3000).map((x) => x % 5);
  for (let width = 0; width <= 5; width++) {
    const known = new Map<string, number>();
    const contexts = new Contexts(ids, width, -1);
    for (let position = 0; position < ids.length; position++) {
      const name = contextAt(ids, position, { width, padding: -1 } as Parameters<typeof contextAt>[2]).join();
      if (!known.has(name)) known.set(name, known.size);
      assert.equal(contexts.before(position), known.get(name), `${width} ids before ${position}`);
    }
    assert.equal(contexts.size, known.size);
  }
});

/** As `coloured`, by texts. */
function plain(text: Weighed, part: HasherPart, key: string): { draws: number[]; groups: number[] } {
  const hasher = hasherOf(part);
  const after = hasher.under(key);
  const names = new Map<string, number>();
  const [draws, groups]: [number[], number[]] = [[], []];
  for (const position of text.positions) {
    const coin = after(contextAt(text.encoded.ids, position, hasher));
    const token = text.encoded.ids[position]!;
    const name = coin.drawOf?.(token) ?? `${JSON.stringify(coin.name)}/${token}`;
    if (!names.has(name)) names.set(name, names.size);
    draws.push(...coin.draws(token));
    groups.push(names.get(name)!);
  }
  return { draws, groups };
}

const parts = new Map(vectors.hashers.map(({ part, key }) => [JSON.stringify(part), { part: part as HasherPart, key }]));
for (const { part, key } of parts.values()) {
  test(`draws and groups of ${part.name}, ${part.context_width} ids before, are those by texts`, () => {
    const ids = numbers(4, 400).map((x) => x % 7);
    const { width } = hasherOf(part);
    const positions = Array.from({ length: ids.length - width }, (_, n) => n + width);
    const weights = new Float64Array(positions.length).fill(1);
    const text = { encoded: { ids, starts: [], ends: [] }, positions, weights } as unknown as Weighed;
    const [seen, expected] = [coloured(text, hasherOf(part), key), plain(text, part, key)];
    assert.deepEqual([...seen.draws], expected.draws);
    assert.deepEqual([...seen.groups], expected.groups);
    assert.equal(seen.pairs, new Set(expected.groups).size);
  });
}

test("windows have the sums of their own tokens", () => {
  const law = { draws: "bernoulli", gamma: 0.25, parts: [1], largest: 1 } as const;
  for (const rule of ["sum", "root", "fourth-root", "mean"] as Repeats[]) {
    const count = 150;
    const groups = Int32Array.from(numbers(5, count), (x) => x % 40);
    const signal = Float64Array.from(groups, (group) => numbers(6, 40)[group]! % 2);
    const weights = Float64Array.from(numbers(7, count), (x) => (x % 100) / 100);
    for (const { start, end, share, logP } of triedWindows({ groups, signal, weights, law } as unknown as Evidence, rule, 3)) {
      let [excess, squares] = [0, 0];
      for (const group of new Set(groups.slice(start, end))) {
        const inside = [...groups.keys()].filter((n) => n >= start && n < end && groups[n] === group);
        const stake = inside.reduce((sum, n) => sum + weights[n]!, 0) * shareOf(inside.length, rule);
        excess += stake * (signal[inside[0]!]! - meanOf(law));
        squares += stake * stake;
      }
      const expected = logNormalTail(excess / Math.sqrt(varianceOf(law) * squares)) - Math.log(share);
      assert.ok(Math.abs(logP - expected) < 1e-9, `${rule} ${start} to ${end}: ${logP}, not ${expected}`);
    }
  }
});
