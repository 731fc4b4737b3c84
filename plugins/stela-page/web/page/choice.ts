/** Which of several marks are looked for, and what that means for the text: it stays here, or it is sent. */

import type { Service } from "./asking";
import { isHere, type Mark } from "./data";
import { element } from "./elements";
import { filled } from "./filled";
import { nameOf } from "./names";
import type { Words } from "./words";

export const ALL = "all";
const HERE = "here";

/** The indexes of the marks that a choice stands for. */
export function wantedOf(choice: string, marks: readonly Mark[]): Set<number> {
  const all = [...marks.keys()];
  if (choice === ALL) return new Set(all);
  if (choice === HERE) return new Set(all.filter((index) => isHere(marks[index] as Mark)));
  return new Set([Number(choice)]);
}

/** What can be chosen. */
export function optionsOf(marks: readonly Mark[], words: Words): HTMLOptionElement[] {
  const here = marks.filter(isHere).length;
  const several: [string, string][] = [[ALL, filled(words.allMarks, { n: marks.length })]];
  if (here > 0 && here < marks.length) several.push([HERE, filled(words.hereMarks, { n: here })]);
  const each = marks.map((mark, index): [string, string] => [String(index), nameOf(mark, words)]);
  return [...several, ...each].map(([value, name]) => element("option", { value }, name));
}

/** How many of the wanted marks the text would be sent for, and the sentence that says so. */
export function placeOf(
  wanted: ReadonlySet<number>,
  marks: readonly Mark[],
  service: Service | null,
  words: Words,
): { sent: number; sentence: string } {
  if (service === null) return { sent: 0, sentence: words.privacy };
  const sent = [...wanted].filter((index) => !isHere(marks[index] as Mark)).length;
  const values = { host: service.host, n: sent, all: wanted.size };
  if (sent === 0) return { sent, sentence: words.stays };
  return { sent, sentence: filled(sent === wanted.size ? words.sent : words.sentFor, values) };
}
