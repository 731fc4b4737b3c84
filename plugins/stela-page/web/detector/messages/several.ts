/** Whether a message may be shown where a text may hold several (stela_payload/several.py, which proves it). */
import { bitsOf, type TailOf } from "./errors";

const SEVERAL = 16;
/** Messages that a passage may hold. */

/** How many runs the blocks form that are not free, in a ring of `count`. */
export function runsOf(free: number, count: number): number {
  const after = (free >> 1) | ((free & 1) << (count - 1)); // bit n: whether block n + 1 is free
  return bitsOf(free & ~after);
}

/** A bound on the probability of showing a message that is none of the text's, for a code of at least 3 bytes. */
export function errorAmongSeveral(tail: TailOf, count: number): number {
  const sets = 2 ** count - count - 1;
  let worst = 0;
  for (let free = 1; free < 1 << count; free++) {
    const size = bitsOf(free);
    if (size < 2) continue;
    const runs = runsOf(free, count);
    worst = Math.max(worst, sets * SEVERAL ** runs * 256 ** (size - runs) * tail(free));
  }
  return Math.min(1, worst);
}
