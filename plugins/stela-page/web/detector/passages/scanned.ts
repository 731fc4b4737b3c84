/** A judgement with its passages, and the verdict that rests on the best one's corrected p-value. */
import { timesOf } from "../choices";
import { alike } from "../evidence/evidence";
import { isSmaller, type Judged, type Verdict } from "../judging";
import type { Scoring } from "../statistics/grouped";
import type { Passage } from "../types";
import { Scan } from "./scan";

/** What scanning adds. */
export interface Scanned {
  readonly verdict: Verdict;
  readonly window: Passage;
  readonly passages: Passage[];
}

/** Scans of all readings, one that looks marked most first. */
export function scansOf(judged: Judged, scoring: Scoring, keys: number): Scan[] {
  return [judged.evidence, ...judged.others]
    .filter((evidence) => evidence.weights.length)
    .map((evidence) => {
      const looks = (keys * evidence.choices) / evidence.weighed.reading.share;
      return new Scan(judged.alike === undefined ? evidence : alike(evidence), scoring, looks);
    });
}

/** What scans say; passages are named in the reading that looks marked most. Undefined where no token is scored. */
export function scanned(judged: Judged, scans: readonly Scan[], alpha: number): Scanned | undefined {
  const tooShort = judged.verdict === "insufficient text";
  const seen = scans.map((scan) => ({ scan, window: scan.best(tooShort ? 0 : alpha) }));
  if (!seen.length) return undefined;
  const { scan, window } = seen.reduce((a, b) => (isSmaller(b.window.p_value, a.window.p_value) ? b : a));
  const nothing = timesOf(judged.logChoices) === Infinity;
  if (tooShort) return { verdict: judged.verdict, window: nothing ? { ...window, p_value: 1 } : window, passages: [] };
  const marked = window.p_value <= alpha;
  const hopeless = !marked && scans.every((one) => one.bestOfAll() > alpha);
  const verdict = marked ? "watermarked" : hopeless ? "insufficient text" : "no watermark found";
  return { verdict, window, passages: scan.passages(alpha) };
}
