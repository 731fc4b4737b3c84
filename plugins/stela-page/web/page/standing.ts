/** What the page says of itself: whose marks it looks for. */

import type { ProfileSummary } from "../detector/types";
import { isHere, type Mark } from "./data";
import { element } from "./elements";
import { counted, filled } from "./filled";
import { linkTo } from "./links/offer";
import { languageName, nameOf } from "./names";
import { bidi, signatureRows } from "./signature";
import type { Words } from "./words";
import type { Opened } from "./work";

/** A box for each profile, with the numbers that its maker may have published.
 *
 * @param linked whether the mark came in a link, with a name of the link's own.
 */
export function standing(
  marks: readonly Mark[],
  opened: ReadonlyMap<number, Opened>,
  linked: boolean,
  words: Words,
): { heading: string; boxes: Node[] } {
  const boxes = marks.map((mark, index) => {
    const one = opened.get(index);
    const box = element("article", { class: "mark" }, element("h3", {}, nameOf(mark, words)));
    if (one === undefined) box.append(element("p", {}, words.opening));
    else if ("problem" in one) box.append(element("p", { class: "problem" }, filled(words.failed, one)));
    else {
      const called: [string, Node] = [linked ? words.linkName : words.fileName, bidi(linked ? mark.name : `${mark.name}.stela`)];
      box.append(facts([...signatureRows(one.signature, words), ...summaryFacts(one.profile, words), called]));
      if (isSynthId(one.profile.scheme)) box.append(element("p", {}, words.notGoogle));
    }
    if (one !== undefined && "profile" in one && isHere(mark)) box.append(...linkTo(mark, words));
    return box;
  });
  return { heading: counted(words.about, marks.length, words.tag), boxes };
}

/** Whether readers may take a method for Google's: its name is the same. */
export function isSynthId(scheme: string): boolean {
  return /synthid/i.test(scheme);
}

function summaryFacts(profile: ProfileSummary, words: Words): [string, Node | string][] {
  return [
    [words.scheme, bidi(profile.scheme)],
    [words.textLanguage, profile.language === null ? words.anyLanguage : languageName(profile.language, words)],
    [words.key, element("span", {}, element("code", {}, profile.key_id), secretKeys(profile, words))],
    [words.file, element("code", {}, profile.sha256)],
  ];
}

function secretKeys({ secret_keys: n }: ProfileSummary, words: Words): string {
  return n === undefined ? "" : ` ${counted(words.secretKeys, n, words.tag)}`;
}

/** Terms and what is said of them. */
export function facts(rows: readonly (readonly [string, Node | string])[]): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [term, said] of rows) list.append(element("dt", {}, term), element("dd", {}, said));
  return list;
}
