/** Bounds on the probability of naming another message than the one in the text (stela_payload/errors.py, which proves them). */

const OTHERS = 255;
/** Other values of a byte. */

/** The p-value of the message over the tokens of some blocks, a set of bits. */
export type TailOf = (blocks: number) => number;

/** For each of at least 3 bytes a bound on reading it wrongly, and one on naming another message. */
export function byteErrors(tailOf: TailOf, count: number): { errors: number[]; error: number } {
  const tail = kept(tailOf);
  const errors = new Array<number>(count).fill(0);
  const sets = 2 ** count - 1;
  for (let chosen = 1; chosen <= sets; chosen++) {
    const bytes = errors.map((_, byte) => byte).filter((byte) => (chosen >> byte) & 1);
    const blocks = chosen | (chosen >> 1) | ((chosen & 1) << (count - 1)); // byte n is in blocks n and n - 1
    const error = Math.min(1, sets * OTHERS ** bytes.length * tail(blocks));
    for (const byte of bytes) errors[byte] = Math.max(errors[byte]!, error);
  }
  let pairs = 0;
  for (let i = 0; i < count; i++) for (let j = i + 1; j < count; j++) pairs = Math.max(pairs, tail((1 << i) | (1 << j)));
  return { errors, error: Math.max(...errors, Math.min(1, count * (count - 1) * pairs)) };
}

function kept(tail: TailOf): TailOf {
  const known = new Map<number, number>();
  return (blocks) => {
    const p = known.get(blocks) ?? tail(blocks);
    known.set(blocks, p);
    return p;
  };
}
