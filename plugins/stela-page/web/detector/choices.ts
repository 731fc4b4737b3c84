/** How many marks a key chooses among, where it is chosen part by part (Mark.log_choices in Python). */
import type { HasherPart } from "./hashers";
import { settingsOf } from "./synthid";

/** Beyond it every p-value is 1 (stela_core/profile/provenance.py). */
const MOST = 700;

/** The logarithm of the number that a stranger's p-values are times; 0 where keys can only be tried, each as a whole. */
export function logChoicesOf({ name, parameters = {} }: HasherPart): number {
  if (name === "gumbel-sglang") return (parameters["mixing_probability"] ?? null) === null ? 0 : 96 * Math.LN2;
  if (name !== "synthid") return 0;
  const { derived, depth, table_size: size } = settingsOf(parameters);
  if (derived) return 0;
  // A shift of one of 2**32 tables for each layer, no two alike.
  let log = 32 * Math.LN2;
  for (let layer = 0; layer < depth; layer++) log += Math.log(size - layer);
  return log;
}

/** That number. */
export function choicesOf(part: HasherPart): number {
  return Math.exp(Math.min(MOST, logChoicesOf(part)));
}
