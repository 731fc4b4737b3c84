/** Sentences that run from right to left, and strangers' words in sentences: neither turns the other's order (UAX 9). */

/** Letters that run from right to left, and characters that turn what stands after them. */
export const MAY_TURN = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Of embeddings, overrides and isolates: one that is left open, or closed once too often, reaches beyond the value. */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

const [FIRST_STRONG, POP] = ["\u2068", "\u2069"];

/** A value in its own direction, that of its first letter. */
export function isolated(value: string): string {
  return FIRST_STRONG + value.replace(CONTROLS, "") + POP;
}
