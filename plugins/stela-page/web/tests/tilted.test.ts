/** The tail by a transform against coin after coin, which it stands in for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Coins, convolved } from "../detector/statistics/convolution";
import { logTail, tiltedTie } from "../detector/statistics/tilted";
import { numbers } from "./made-up";

/** Coins of so many values, some of which share a factor. */
function coins(seed: number, values: number, factor: number): Coins {
  const drawn = numbers(seed, 2 * values);
  const distinct = new Map<number, number>();
  for (let d = 0; d < values; d++) {
    const value = factor * (1 + (drawn[2 * d]! % 400));
    distinct.set(value, 1 + (drawn[2 * d + 1]! % 60));
  }
  const sorted = [...distinct].sort(([a], [b]) => a - b);
  return { values: sorted.map(([value]) => value), counts: sorted.map(([, count]) => count) };
}

test("a transform gives what coins one after the other give", () => {
  let compared = 0;
  for (let seed = 1; seed <= 24; seed++) {
    const gamma = [0.5, 0.25, 0.1][seed % 3]!;
    const made = coins(seed, 1 + (seed % 12) * 3, 1 + (seed % 4));
    const total = made.values.reduce((sum, value, d) => sum + value * made.counts[d]!, 0);
    const spread = Math.sqrt(gamma * (1 - gamma) * made.values.reduce((sum, value, d) => sum + value * value * made.counts[d]!, 0));
    for (const deviations of [-6, -2, 0, 0.5, 2, 6, 15]) {
      const near = Math.round(gamma * total + deviations * spread);
      // A multiple of all values, as observed sums are, and one that may be none.
      for (const observed of [near - (near % (1 + (seed % 4))), near]) {
        if (observed < 1 || observed > total) continue;
        const slow = convolved(made, observed + 1, observed, gamma);
        const fast = tiltedTie(made, observed, gamma);
        const whole = slow.above + slow.tied;
        if (whole < 1e-280) continue;
        assert.ok(Math.abs(fast.above - slow.above) <= 1e-11 * whole, `above ${seed} ${observed}: ${fast.above} ${slow.above}`);
        assert.ok(Math.abs(fast.tied - slow.tied) <= 1e-11 * whole, `tied ${seed} ${observed}: ${fast.tied} ${slow.tied}`);
        assert.ok(Math.abs(Math.exp(logTail(made, observed, gamma)) / whole - 1) <= 1e-11);
        compared++;
      }
    }
  }
  assert.ok(compared > 250, `${compared}`);
});
