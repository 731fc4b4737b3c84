/** The text piece by piece and its passages, where a mark was found; else the text as it is, for the record. */

import type { Passage } from "../detector/types";
import { element } from "./elements";
import { filled } from "./filled";
import { messageSaid } from "./message-said";
import { oneIn } from "./odds";
import type { Tested } from "./outcome";
import type { Checked } from "./checked";
import { Shading } from "./shade";
import type { Words } from "./words";

const PRINTED = 20_000;
/** Characters of a text that a print shows. */

/** The text, its legend, and its passages; a button shows more of a long one. */
export function evidence(checked: Checked, words: Words): Node[] {
  const { found } = checked.outcome;
  if (found === null || found.detection.tokens.length === 0) return [plain(checked.text, words)];
  const { text } = checked;
  const { tokens } = found.detection;
  const passages = partsOf(found, text.trim().length);
  const shading = new Shading(text, tokens, passages, found.verdict === "watermarked", words);
  const box = element("div", { class: "shaded", dir: "auto", tabindex: "0", role: "group", "aria-label": words.shaded });
  box.append(...shading.next());
  const parts: Node[] = [element("h3", {}, words.shaded), legendOf(passages.length > 0, words), box];
  if (shading.left > 0) {
    const number = (n: number): string => n.toLocaleString(words.tag);
    const said = (): string => filled(words.more, { shown: number(tokens.length - shading.left), n: number(tokens.length) });
    const more = element("button", { type: "button" }, words.showMore);
    const state = element("span", {}, said());
    const line = element("p", { class: "more" }, state, " ", more);
    more.addEventListener("click", () => {
      box.append(...shading.next());
      state.textContent = said();
      if (shading.left > 0) return;
      line.remove();
      box.focus();
    });
    parts.push(line);
  }
  if (passages.length > 0) parts.push(...passagesOf(text, passages, words));
  return parts;
}

/** The text that was checked: a print has no text area. */
function plain(text: string, words: Words): Node {
  const shown = text.length > PRINTED ? `${text.slice(0, PRINTED)} …` : text;
  return element("div", { class: "printed" }, element("h3", {}, words.checkedText), element("div", { class: "plain", dir: "auto" }, shown));
}

function legendOf(withPassages: boolean, words: Words): HTMLElement {
  const kinds = [
    ["green green-1", words.legendGreen],
    ["red", words.legendRed],
    ["uncounted", words.legendPlain],
    ...(withPassages ? ([["passage", words.legendPassage]] as const) : []),
  ] as const;
  return element("p", { class: "legend" }, ...kinds.map(([kind, said]) => element("span", { class: "sample" }, sample(kind), ` ${said}`)));
}

function sample(kind: string): HTMLElement {
  if (!kind.startsWith("green")) return element("span", { class: kind, "aria-hidden": "true" }, "abc");
  const shades = ["a", "b", "c", "d"].map((letter, n) => element("span", { class: `green green-${n + 1}` }, letter));
  return element("span", { "aria-hidden": "true" }, ...shades);
}

/** Passages of a text that is mixed: one that is nearly all of a marked text says nothing more. */
/** The passages that say more than the whole: none where a marked text is covered by them. */
export function partsOf({ verdict, passages }: Tested, length: number): Passage[] {
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
    const { message } = passage;
    const named = message === undefined ? [] : [element("br", {}), `${words.message}: `, messageSaid(message, words)];
    return element("li", {}, filled(long ? words.passage : words.wholePassage, values), ...named);
  });
  return [element("h3", {}, words.passages), element("ul", { class: "passages" }, ...items)];
}
