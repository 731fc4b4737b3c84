/** Windows: the last few words or characters before places of a text (stela_core/text/windows.py). */
import { lastCodePoints } from "../characters";

const CHARACTERS_PER_WORD = 16;

/** What a window counts. */
export type Unit = "word" | "character";

/**
 * Where the window of `text.slice(0, end)` begins, for each end.
 *
 * @param space the body of a class of white space for regular expressions with the flag u.
 */
export function windowStarts(text: string, ends: readonly number[], window: number, unit: Unit, space: string): number[] {
  const reach = unit === "character" ? window : window * CHARACTERS_PER_WORD;
  const earliest = (end: number): number => {
    const from = Math.max(0, end - 2 * reach);
    return from + lastCodePoints(text.slice(from, end), reach);
  };
  if (unit === "character") return ends.map(earliest);
  const words = [...text.matchAll(new RegExp(`[^${space}]+`, "gu"))];
  const begins = words.map((word) => word.index);
  const stops = words.map((word) => word.index + word[0].length);
  return ends.map((end) => {
    const first = earliest(end);
    const wanted = begins[Math.max(0, below(begins, end) - window)] ?? text.length;
    const notSpace = Math.max(begins[below(stops, first + 1)] ?? text.length, first);
    return Math.min(Math.max(wanted, notSpace), end);
  });
}

/** How many of ascending numbers are below a limit. */
function below(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
