/** What a text's detections say together: one verdict, with odds that allow for every mark looked for.
 *
 * With n marks, n times the smallest p-value is a p-value (Bonferroni), whatever the tests share: so does
 * `stela detect --profiles`. Passages are a second look at the same text, with a level of their own.
 */

import type { Detection, Passage, ReadMessage } from "../detector/types";
import type { Seen } from "./tokens";

export type Verdict = Detection["verdict"];

/** One mark's test; p-values are corrected for the number of marks. */
export interface Tested {
  /** Of the profile in the page. */
  index: number;
  verdict: Verdict;
  p: number;
  passages: Passage[];
  /** Where marks carry a message and one was found; its bounds are times the number of marks, too. */
  message: ReadMessage | undefined;
  detection: Seen;
}

export interface Outcome {
  verdict: Verdict;
  /** What looks marked most. */
  best: Tested;
  /** All, what looks marked most first. */
  tested: Tested[];
  /** The mark that was found, in the text or in a passage of it: what was found nowhere is not named, nor shown. */
  found: Tested | null;
}

const FIRST: Verdict[] = ["watermarked", "no watermark found", "insufficient text"];

/** The outcome of at least one detection; a profile that could not be opened is null and counts in nothing. */
export function outcomeOf(detections: readonly (Seen | null)[]): Outcome {
  const count = detections.filter((one) => one !== null).length;
  const tested = detections
    .flatMap((detection, index) => (detection === null ? [] : [testedOf(detection, index, count)]))
    .sort((a, b) => FIRST.indexOf(a.verdict) - FIRST.indexOf(b.verdict) || a.p - b.p || a.index - b.index);
  const best = tested[0];
  if (best === undefined) throw new Error("no profile could be opened");
  const marked = best.verdict === "watermarked" ? best : tested.find((one) => one.passages.length > 0);
  return { verdict: best.verdict, best, tested, found: marked ?? null };
}

function testedOf(detection: Seen, index: number, count: number): Tested {
  // A table that STELA does not ship decides nothing alone: the larger of two p-values counts.
  const p = Math.min(1, Math.max(detection.p_value ?? 1, detection.p_alike ?? 0, detection.p_chosen ?? 0) * count);
  const passages = detection.passages
    .map(({ message, p_value, ...place }): Passage => {
      return { ...place, p_value: Math.min(1, p_value * count), ...(message && { message: correctedMessage(message, count) }) };
    })
    .filter((passage) => passage.p_value <= detection.threshold);
  let verdict = detection.verdict;
  // With more marks looked for, what one test alone would call found may not be.
  if (verdict === "watermarked" && p > detection.threshold) verdict = "no watermark found";
  return { index, verdict, p, passages, message: detection.message && correctedMessage(detection.message, count), detection };
}

const MOST_ERROR = 1e-4;
/** Bound up to which a digit is sure, where nothing else is said. */

/** A message among those of so many marks: digits are shown that are still sure. */
function correctedMessage(message: ReadMessage, count: number): ReadMessage {
  if (count === 1) return message;
  const { hex, error, errors, most_error: most = MOST_ERROR } = message;
  // A service tells no bound of each digit: none is larger than that of the whole.
  const more = [...hex].map((_, n) => Math.min(1, count * (errors?.[n] ?? error)));
  const shown = [...hex].map((digit, n) => (more[n]! <= most ? digit : "?")).join("");
  const own = errors === undefined ? {} : { errors: more };
  return { ...message, ...own, hex: shown, sure: !shown.includes("?"), error: Math.min(1, count * error) };
}
