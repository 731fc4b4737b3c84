/** The result of a check, in plain words first. */

import type { Passage } from "../detector/types";
import type { Signature } from "../signing/profile-signature";
import { element } from "./elements";
import { filled } from "./filled";
import { oddsCell, oddsOfNone, oneIn } from "./odds";
import type { Outcome, Tested, Verdict } from "./outcome";
import { MOST, shaded } from "./shade";
import { bidi, makerRow } from "./signature";
import { facts } from "./standing";
import type { Words } from "./words";

/** What has been checked, with all that its result is told from. */
export interface Checked {
  text: string;
  source: string | null;
  outcome: Outcome;
  /** Of each profile, by its index in the page. */
  names: readonly string[];
  /** Share of tokens that each profile's key favours; undefined where the mark is no green list. */
  gammas: readonly (number | undefined)[];
  /** Of each profile that could be opened. */
  signatures: ReadonlyMap<number, Signature>;
}

const CLASSES: Record<Verdict, "found" | "none" | "short"> = {
  watermarked: "found",
  "no watermark found": "none",
  "insufficient text": "short",
};

/** The class of a verdict: its colour and its sign. */
export function classOfVerdict(verdict: Verdict): "found" | "none" | "short" {
  return CLASSES[verdict];
}

/** The verdict, and the sentence with its odds. */
export function sentences({ outcome }: Checked, words: Words): { verdict: string; odds: string[] } {
  const { verdict, best } = outcome;
  const odds =
    verdict === "watermarked"
      ? filled(words.foundOdds, { odds: oneIn(best.p, words) })
      : verdict === "no watermark found"
        ? oddsOfNone(best.p, words)
        : words.shortOdds;
  const inPart = verdict !== "watermarked" && outcome.tested.some((one) => one.passages.length > 0);
  return { verdict: words[classOfVerdict(verdict)], odds: inPart ? [odds, words.passageOnly] : [odds] };
}

/** How much was looked at, which mark, by which rule. */
export function details(checked: Checked, words: Words): Node[] {
  const { best, tested } = checked.outcome;
  const { detection } = best;
  const number = (n: number): string => n.toLocaleString(words.tag);
  const rows: [string, Node | string][] = [
    [
      words.looked,
      filled(words.lookedAt, {
        tokens: number(detection.scored_tokens),
        pairs: number(detection.unique_pairs),
        words: number(wordsIn(checked.text, words.tag)),
      }),
    ],
  ];
  if (detection.green_fraction !== null) {
    const share = percent(detection.green_fraction, words.tag);
    const gamma = checked.gammas[best.index];
    const expected = gamma === undefined ? "" : percent(gamma, words.tag);
    rows.push([words.greens, filled(gamma === undefined ? words.greensAlone : words.greensOf, { share, expected })]);
  }
  if (tested.length > 1) rows.push([words.which, bidi(checked.names[best.index] ?? "")]);
  const signature = checked.signatures.get(best.index);
  if (signature !== undefined) rows.push(makerRow(signature, words));
  if (detection.published !== undefined) {
    const day = new Date(detection.published).toLocaleDateString(words.tag, { dateStyle: "long", timeZone: "UTC" });
    rows.push([words.published, filled(words.publishedOn, { day })]);
  }
  const rule = filled(words.threshold, { odds: oneIn(detection.threshold, words) });
  const corrected = tested.length > 1 ? ` ${filled(words.corrected, { n: tested.length })}` : "";
  rows.push([words.rule, rule + corrected]);
  if (detection.reading !== "as it is") rows.push([words.reading, words.canonical]);
  return [facts(rows), ...(tested.length > 1 ? [tableOf(checked, words)] : [])];
}

function tableOf({ outcome, names }: Checked, words: Words): HTMLElement {
  const cells = { found: words.foundCell, none: words.noneCell, short: words.shortCell };
  const head = [words.mark, words.verdict, words.odds].map((name) => element("th", { scope: "col" }, name));
  const rows = outcome.tested.map((one) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, bidi(names[one.index] ?? "")),
      element("td", {}, cells[classOfVerdict(one.verdict)]),
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

/** The text piece by piece, its legend, and its passages; a button shows the rest of a long one. */
export function evidence({ text, outcome }: Checked, words: Words): Node[] {
  const { best } = outcome;
  const tokens = best.detection.tokens;
  if (tokens.length === 0) return [];
  const passages = partsOf(best, text.trim().length);
  const box = element("div", { class: "shaded", dir: "auto", tabindex: "0", role: "group", "aria-label": words.shaded });
  const { nodes, whole } = shaded(text, tokens, passages, words);
  box.append(...nodes);
  const legend = element(
    "p",
    { class: "legend" },
    ...(
      [
        ["green green-1", words.legendGreen],
        ["red", words.legendRed],
        ["uncounted", words.legendPlain],
        ...(passages.length > 0 ? ([["passage", words.legendPassage]] as const) : []),
      ] as const
    ).map(([kind, said]) => element("span", { class: "sample" }, sample(kind), ` ${said}`)),
  );
  const parts: Node[] = [element("h3", {}, words.shaded), legend, box];
  if (!whole) {
    const more = element("button", { type: "button" }, filled(words.more, { n: tokens.length.toLocaleString(words.tag) }));
    more.addEventListener("click", () => {
      box.replaceChildren(...shaded(text, tokens, passages, words, Number.POSITIVE_INFINITY).nodes);
      more.remove();
      box.focus();
    });
    parts.push(element("p", { class: "more" }, `${MOST.toLocaleString(words.tag)} … `, more));
  }
  if (passages.length > 0) parts.push(...passagesOf(text, passages, words));
  return parts;
}

function sample(kind: string): HTMLElement {
  if (!kind.startsWith("green")) return element("span", { class: kind, "aria-hidden": "true" }, "abc");
  const shades = ["a", "b", "c", "d"].map((letter, n) => element("span", { class: `green green-${n + 1}` }, letter));
  return element("span", { "aria-hidden": "true" }, ...shades);
}

/** Passages of a text that is mixed: one that is nearly all of a marked text says nothing more. */
function partsOf({ verdict, passages }: Tested, length: number): Passage[] {
  const covered = passages.reduce((sum, passage) => sum + passage.end - passage.start, 0);
  return verdict === "watermarked" && covered > 0.85 * length ? [] : passages;
}

function passagesOf(text: string, passages: readonly Passage[], words: Words): Node[] {
  const EDGE = 24;
  const items = passages.map((passage, n) => {
    const said = text.slice(passage.start, passage.end).trim();
    const long = said.length > 3 * EDGE;
    const values = {
      n: n + 1,
      begin: long ? said.slice(0, EDGE).trim() : said,
      end: said.slice(-EDGE).trim(),
      odds: oneIn(passage.p_value, words),
    };
    return element("li", {}, filled(long ? words.passage : words.wholePassage, values));
  });
  return [element("h3", {}, words.passages), element("ul", { class: "passages" }, ...items)];
}

/** About how many words a reader would count. */
export function wordsIn(text: string, tag: string): number {
  if (typeof Intl.Segmenter === "undefined") return text.split(/\s+/).filter(Boolean).length;
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(tag, { granularity: "word" }).segment(text)) {
    if (isWordLike === true) count += 1;
  }
  return count;
}

function percent(share: number, tag: string): string {
  return share.toLocaleString(tag, { style: "percent", maximumFractionDigits: 0 });
}
