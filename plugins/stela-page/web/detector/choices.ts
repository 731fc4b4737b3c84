/** How many marks a key chooses among, where it is chosen part by part (Hasher.log_choices in Python). */
import type { HasherPart } from "./hashers";

/** The number that a stranger's p-values are times; 1 where keys can only be tried, each as a whole. */
export function choicesOf({ name, parameters = {} }: HasherPart): number {
  const twoKeys = name === "gumbel-sglang" && (parameters["mixing_probability"] ?? null) !== null;
  return twoKeys ? 2 ** 96 : 1;
}
