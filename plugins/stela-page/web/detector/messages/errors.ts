/** A bound on the probability of naming another message than the one in the text (stela_payload/errors.py, which proves it). */

const OTHERS = 255;
/** Other values of a byte. */

/** The p-value of the message over the tokens of some blocks, a set of bits. */
export type TailOf = (blocks: number) => number;

/** The bound, for a code of at least 3 bytes. */
export function errorOf(tailOf: TailOf, count: number): number {
  const tail = kept(tailOf);
  const sets = 2 ** count - 1;
  let worst = 0;
  for (let chosen = 1; chosen <= sets; chosen++) {
    const blocks = chosen | (chosen >> 1) | ((chosen & 1) << (count - 1)); // byte n is in blocks n and n - 1
    worst = Math.max(worst, sets * OTHERS ** bitsOf(chosen) * tail(blocks));
  }
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) worst = Math.max(worst, count * (count - 1) * tail((1 << i) | (1 << j)));
  }
  return Math.min(1, worst);
}

/** How many there are in a set. */
export function bitsOf(set: number): number {
  let count = 0;
  for (let left = set; left; left &= left - 1) count++;
  return count;
}

function kept(tail: TailOf): TailOf {
  const known = new Map<number, number>();
  return (blocks) => {
    const p = known.get(blocks) ?? tail(blocks);
    known.set(blocks, p);
    return p;
  };
}
