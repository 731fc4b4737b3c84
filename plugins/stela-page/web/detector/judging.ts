/** From evidence to a p-value and a verdict (stela_core/detection/detector.py, verdict.py). */
import { logChoicesOf, timesOf } from "./choices";
import { alike, type Evidence } from "./evidence/evidence";
import { corrected, type Message } from "./messages/message";
import type { Profile } from "./profile";
import { leastP, type Score, scoreOf } from "./statistics/grouped";
import { powerOf } from "./statistics/power";
import type { Detection, Marked } from "./types";

/** The verdicts, what says most first. */
export const VERDICTS = ["watermarked", "no watermark found", "insufficient text"] as const;

/** What is said of a text. */
export type Verdict = Detection["verdict"];

/** One reading of a text under one key, scored. */
export interface Judged {
  readonly evidence: Evidence;
  readonly score: Score;
  readonly verdict: Verdict;
  readonly p: number;
  /** Where the table is a stranger's: the same with every token counted alike. */
  readonly alike: number | undefined;
  /** Where a stranger chooses keys part by part: the p-value times the number of keys. */
  readonly chosen: number | undefined;
  /** The logarithm of that number, or of the number of rows of ids where the tokenizer is not known. */
  readonly logChoices: number;
  /** About how often a marked text like it is found, where so many marks are looked for. */
  readonly power: (marks: number) => number | undefined;
  /** Of a mark that carries one, found or not. */
  readonly message: Message | undefined;
  /** The other readings' evidence. */
  readonly others: readonly Evidence[];
}

/** The p-value that the verdict rests on. */
export function decisive(judged: Pick<Judged, "p" | "alike" | "chosen">): number {
  return Math.max(judged.p, judged.alike ?? 0, judged.chosen ?? 0);
}

/** Score the evidence of one reading.
 *
 * p-values are times `keys`, those that are tested, and the number of messages, over the reading's share of alpha; `ids`: of
 * a tokenizer that is not known here, else 0. `marked`: what is known of marked texts.
 */
export function judge(evidence: Evidence, profile: Profile, keys: number, ids: number, marked: Marked): Judged {
  const times = keys / evidence.weighed.reading.share;
  const looks = times * evidence.choices;
  const score = scoreOf(evidence, profile.scoring);
  const tests = [evidence];
  let plain: number | undefined;
  if (profile.strangeTable && profile.evidence !== "uniform") {
    tests.push(alike(evidence));
    plain = Math.min(1, looks * scoreOf(tests[1]!, profile.scoring).p);
  }
  const p = Math.min(1, looks * score.p);
  const logChoices = logChoicesOf(profile.hasher, evidence.weighed.encoded.ids.length, ids);
  const choices = timesOf(logChoices);
  const chosen = choices > 1 ? Math.min(1, choices * Math.max(p, plain ?? 0)) : undefined;
  const verdict = verdictOf(chosen ?? Math.max(p, plain ?? 0), tests, profile, looks * choices);
  const power = (marks: number): number | undefined =>
    verdict === "insufficient text" ? 0 : powerOf(tests, profile.scoring.repeats, profile.alpha / (looks * choices * marks), marked);
  const message = evidence.message && corrected(evidence.message, times);
  return { evidence, score, verdict, p, alike: plain, chosen, logChoices, power, message, others: [] };
}

/** What is smaller by less, relatively, is equal: one p-value taken in two ways differs in the last bits. */
const EQUAL = 1e-12;

/** Whether one p-value is smaller than another by more than rounding. */
export function isSmaller(one: number, other: number): boolean {
  return one < other * (1 - EQUAL);
}

/** The reading that looks marked most, the first of equal ones; long enough where any reading is. */
export function bestReading(judged: readonly Judged[]): Judged {
  const best = judged.reduce((a, b) => (isSmaller(decisive(b), decisive(a)) ? b : a));
  const telling = [best, ...judged].find(({ verdict }) => verdict !== "insufficient text") ?? best;
  return { ...best, verdict: telling.verdict, power: telling.power, others: judged.filter((one) => one !== best).map((one) => one.evidence) };
}

function verdictOf(p: number, tests: readonly Evidence[], profile: Profile, looks: number): Verdict {
  if (tests[0]!.pairs < profile.minTokens) return "insufficient text";
  if (p <= profile.alpha) return "watermarked";
  const hopeless = tests.some((evidence) => looks * leastP(evidence, profile.scoring) > profile.alpha);
  return hopeless ? "insufficient text" : "no watermark found";
}
