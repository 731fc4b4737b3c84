/** How many marks a key chooses among, where it is chosen part by part, and how many rows of ids a tokenizer that was made
 * for a text (Mark.log_choices and Provenance.log_choices in Python). */
import type { HasherPart } from "./hashers";
import { settingsOf } from "./synthid";

/** Beyond it every p-value is 1 (stela_core/profile/provenance.py). */
const MOST = 600;

/** The logarithm of the number that a stranger's p-values are times for the key alone; 0 where keys can only be tried, each as a whole. */
function logKeysOf({ name, parameters = {} }: HasherPart): number {
  if (name === "gumbel-sglang") return (parameters["mixing_probability"] ?? null) === null ? 0 : 96 * Math.LN2;
  if (name !== "synthid") return 0;
  const { derived, depth, table_size: size } = settingsOf(parameters);
  if (derived) return 0;
  // A shift of one of 2**32 tables for each layer, no two alike.
  let log = 32 * Math.LN2;
  for (let layer = 0; layer < depth; layer++) log += Math.log(size - layer);
  return log;
}

/** The logarithm of all that p-values are times.
 *
 * @param tokens of the text.
 * @param ids of a tokenizer that is not known here, else 0.
 */
export function logChoicesOf(part: HasherPart, tokens: number, ids: number): number {
  const rows = ids ? tokens * Math.log(ids) + 2 * Math.log((tokens + 1) * (ids + 1)) : 0;
  return rows + logKeysOf(part);
}

/** That number, infinite where nothing is left of any p-value. */
export function timesOf(logChoices: number): number {
  return logChoices <= MOST ? Math.exp(logChoices) : Infinity;
}

/** What the p-values of windows are times. */
export function timesOfWindows(logChoices: number): number {
  return Math.exp(Math.min(MOST, logChoices));
}
