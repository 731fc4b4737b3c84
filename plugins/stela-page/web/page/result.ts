/** The result of a check, in plain words first. */

import type { Signature } from "../signing/profile-signature";
import type { Checked } from "./checked";
import { element } from "./elements";
import { partsOf } from "./evidence";
import { filled } from "./filled";
import { listed } from "./names";
import { messageSaid } from "./message-said";
import { inDigits, oddsCell, oddsOfNone, oneIn } from "./odds";
import type { Verdict } from "./outcome";
import { recordRows } from "./record";
import { makerRow } from "./signature";
import { facts, isSynthId } from "./standing";
import type { Words } from "./words";
import type { Opened } from "./work";

/** What is said of a text: its colour and its sign, too. */
export type Kind = "found" | "none" | "short" | "foreign";

const KINDS: Record<Verdict, Kind> = {
  watermarked: "found",
  "no watermark found": "none",
  "insufficient text": "short",
};
const SHORT = 50;
/** Distinct pairs below which most marks are often missed, where no share is known: docs/families.md has those found by length. */

const LIKELY = 0.8;
/** Share of marked texts like it from which a text is not short, as for `stela detect`. */

const TEXTS = 10;
/** Marked by chance: so many are named in the sentence on them. */

/** What is said of a text as a whole. */
export function kindOf({ outcome, foreign }: Checked): Kind {
  return outcome.found === null && foreign !== null ? "foreign" : KINDS[outcome.verdict];
}

/** The verdict, the sentences with its odds, and the one that keeps readers from taking it for more than it says. */
export function sentences(checked: Checked, words: Words): { verdict: string; odds: string[]; caution: string } {
  const { outcome, foreign, opened, text } = checked;
  const kind = kindOf(checked);
  const { best, found, tested } = outcome;
  const { power } = best.detection;
  const short = power === undefined ? tested.every(({ detection }) => detection.unique_pairs < SHORT) : power < LIKELY;
  const odds = {
    found: () => [filled(words.foundOdds, { odds: oneIn(best.p, words) })],
    none: () => [oddsOfNone(best.p, words), ...(found !== null ? [words.passageOnly] : short ? shortNone(power, words) : [])],
    short: () => [words.shortOdds, ...(found === null ? [] : [words.passageOnly])],
    foreign: () => [filled(words.foreignWhy, { languages: listed(foreign?.(words) ?? [], words) })],
  };
  const many = Math.round(TEXTS / best.detection.threshold).toLocaleString(words.tag);
  const whole = kind !== "found" || found === null || partsOf(found, text.trim().length).length === 0;
  const named = (found === null ? tested : [found]).some(({ index }) => {
    const one = opened.get(index);
    return one !== undefined && "profile" in one && isSynthId(one.profile.scheme);
  });
  const said = kind === "foreign" ? "" : found === null ? words.noProof : filled(words.baseRate, { many, n: TEXTS });
  const caution = [said, named ? words.notGoogle : ""].filter(Boolean).join(" ");
  const verdict = !whole ? words.foundPart : kind === "none" && found === null && short ? words.noneShort : words[kind];
  return { verdict, odds: odds[kind](), caution };
}

/** What is said of a text in which none was found since it is short: with the share of such marked texts that are, in tenths. */
function shortNone(power: number | undefined, words: Words): string[] {
  if (power === undefined) return [words.shortNone];
  const tenths = Math.round(10 * power);
  const share = `${tenths ? "≈" : "<"}\u00a0${percent(Math.max(1, tenths) / 10, words.tag)}`;
  return [words.shortNone, filled(words.expected, { share })];
}

/** Sentences as a screen reader says them: the first has no full stop of its own, and some are empty. */
export function spoken(verdict: string, ...others: string[]): string {
  return [`${verdict}.`, ...others.filter(Boolean)].join(" ");
}

/** Which mark, how much was looked at, by which rule, when, and of which text. */
export function details(checked: Checked, words: Words): Node[] {
  const { outcome, opened } = checked;
  const { found, tested } = outcome;
  const told = found ?? outcome.best;
  const { detection } = told;
  const number = (n: number): string => n.toLocaleString(words.tag);
  const rows: [string, Node | string][] = [];
  if (found !== null) {
    rows.push([words.which, checked.namesIn(words)[found.index] ?? ""]);
    const signature = signatureOf(opened.get(found.index));
    if (signature !== undefined) rows.push(makerRow(signature, words));
    if (found.message !== undefined) rows.push([words.message, messageSaid(found.message, words)]);
  }
  const counts = { tokens: number(detection.scored_tokens), pairs: number(detection.unique_pairs) };
  rows.push([words.looked, filled(words.lookedAt, { ...counts, words: number(wordsIn(checked.text, words.tag)) })]);
  // Of several marks none of which was found, the one that looks most like it is none the more.
  if (detection.green_fraction !== null && (found !== null || tested.length === 1)) {
    const share = percent(detection.green_fraction, words.tag);
    const gamma = checked.gammas[told.index];
    const expected = gamma === undefined ? "" : percent(gamma, words.tag);
    rows.push([words.greens, filled(gamma === undefined ? words.greensAlone : words.greensOf, { share, expected })]);
  }
  if (found !== null && detection.published !== undefined) {
    const day = new Date(detection.published).toLocaleDateString(words.tag, { dateStyle: "long", timeZone: "UTC" });
    rows.push([words.published, filled(words.publishedOn, { day })]);
  }
  // Its letters have no direction: from right to left the power would stand first.
  rows.push([words.pValue, element("bdi", { dir: "ltr" }, inDigits(told.p, words))]);
  const rule = filled(words.threshold, { odds: oneIn(detection.threshold, words) });
  rows.push([words.rule, tested.length > 1 ? `${rule} ${filled(words.corrected, { n: tested.length })}` : rule]);
  if (detection.reading !== "as it is") {
    rows.push([words.reading, detection.reading === "canonical" ? words.canonical : words.sentenceCase]);
  }
  const profile = found !== null || tested.length === 1 ? opened.get(told.index) : undefined;
  rows.push(...recordRows(checked, profile, words));
  return [facts(rows), ...(tested.length > 1 ? [tableOf(checked, words)] : [])];
}

function signatureOf(opened: Opened | undefined): Signature | undefined {
  return opened !== undefined && "signature" in opened ? opened.signature : undefined;
}

/** All marks, those that were found first; of the others none is nearer than another. */
function tableOf({ outcome, namesIn }: Checked, words: Words): HTMLElement {
  const cells = { found: words.foundCell, none: words.noneCell, short: words.shortCell, foreign: "" };
  const head = [words.mark, words.verdict, words.odds].map((name) => element("th", { scope: "col" }, name));
  const late = (verdict: Verdict): number => Number(verdict !== "watermarked");
  const ordered = [...outcome.tested].sort((a, b) => late(a.verdict) - late(b.verdict) || a.index - b.index);
  const rows = ordered.map((one) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, namesIn(words)[one.index] ?? ""),
      element("td", {}, cells[KINDS[one.verdict]]),
      element("td", {}, one.verdict === "insufficient text" ? "–" : oddsCell(one.p, words)),
    ),
  );
  return element(
    "table",
    {},
    element("caption", {}, words.marks),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

const COUNTED = 20_000;
/** Characters in which words are counted: of a longer text the rest is taken to be like them. */

/** About how many words a reader would count. */
export function wordsIn(text: string, tag: string): number {
  const sample = text.slice(0, COUNTED);
  let count = 0;
  if (typeof Intl.Segmenter === "undefined") count = sample.split(/\s+/).filter(Boolean).length;
  else for (const { isWordLike } of new Intl.Segmenter(tag, { granularity: "word" }).segment(sample)) count += Number(isWordLike);
  return sample.length === text.length ? count : Number(((count * text.length) / sample.length).toPrecision(2));
}

function percent(share: number, tag: string): string {
  return share.toLocaleString(tag, { style: "percent", maximumFractionDigits: 0 });
}
