/** What of a message may be shown where a text may hold several (stela_payload/several.py, which proves it). */
import type { TailOf } from "./errors";

const SEVERAL = 16;
/** Messages that a passage may hold. */

/** Of blocks or of bytes: bit n is the nth. */
type Bits = number;

/** Blocks that are not the text's, the bytes of each run of the others, and how many messages have them. */
interface Free {
  readonly blocks: Bits;
  readonly runs: readonly Bits[];
  readonly messages: number;
}

/** The bytes of each run of blocks that are not free, in a ring of `count`; block n is bytes n and n + 1. */
export function runsOf(free: Bits, count: number): Bits[] {
  const begin = 31 - Math.clz32(free & -free);
  const runs: Bits[] = [];
  let own = 0;
  for (let step = 1; step <= count; step++) {
    const block = (begin + step) % count;
    if (!((free >> block) & 1)) own |= (1 << block) | (1 << ((block + 1) % count));
    else if (own) {
      runs.push(own);
      own = 0;
    }
  }
  return runs;
}

const known = new Map<number, readonly Free[]>();

function freeSets(count: number): readonly Free[] {
  const made: Free[] = [];
  for (let blocks = 1; blocks < 1 << count; blocks++) {
    if (bitsOf(blocks) < 2) continue;
    const runs = runsOf(blocks, count);
    const messages = SEVERAL ** runs.length * 256 ** (bitsOf(blocks) - runs.length);
    made.push({ blocks, runs, messages: (2 ** count - count - 1) * messages });
  }
  return made;
}

/** Which of at least 3 bytes may be shown, as many as possible, and the bound on their being of no message.
 *
 * @param most largest bound at which bytes are shown.
 * @param times what bounds are multiplied by.
 * @returns no byte, and 1, where none may be shown.
 */
export function shownBytes(tail: TailOf, count: number, most: number, times: number): { shown: Bits; error: number } {
  const sets = known.get(count) ?? freeSets(count);
  known.set(count, sets);
  const bounds = sets.map(({ blocks, runs, messages }) => ({ runs, bound: Math.min(1, times * messages * tail(blocks)) }));
  let shown = new Set<Bits>([2 ** count - 1]);
  for (const { runs, bound } of bounds) {
    if (bound <= most) continue;
    // What is shown has to lie in one run.
    shown = new Set([...shown].flatMap((part) => runs.map((run) => part & run)));
  }
  const options = [...shown].filter(Boolean).map((part) => {
    const within = ({ runs }: { runs: readonly Bits[] }): boolean => runs.some((run) => !(part & ~run));
    return { shown: part, error: Math.max(...bounds.filter((one) => !within(one)).map(({ bound }) => bound)) };
  });
  options.sort((a, b) => bitsOf(b.shown) - bitsOf(a.shown) || a.error - b.error || a.shown - b.shown);
  return options[0] ?? { shown: 0, error: 1 };
}

function bitsOf(set: Bits): number {
  let count = 0;
  for (let left = set; left; left &= left - 1) count++;
  return count;
}
