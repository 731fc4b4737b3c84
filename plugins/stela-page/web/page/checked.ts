/** What has been checked, with all that its result is told from. */

import { gammaOf, type Mark } from "./data";
import { languageName, languageOf, nameOf } from "./names";
import { type Outcome, outcomeOf } from "./outcome";
import { fits } from "./script";
import type { Seen } from "./tokens";
import type { Words } from "./words";
import type { Opened } from "./work";

export interface Checked {
  text: string;
  /** SHA-256 of the text. */
  digest: string;
  /** Name of the text's file, or null. */
  source: string | null;
  made: Date;
  outcome: Outcome;
  /** Of each profile, by its index in the page, in the words of a language. */
  namesIn: (words: Words) => readonly string[];
  /** Of each profile. */
  opened: ReadonlyMap<number, Opened>;
  /** Share of tokens that each profile's key favours; undefined where the mark is not a green list. */
  gammas: readonly (number | undefined)[];
  /** Where no mark that was looked for is for texts in this script: the languages that there are marks for. */
  foreign: ((words: Words) => readonly string[]) | null;
}

/** Of the detections of a text, at least one of which is there. */
export function checkedOf(
  text: string,
  digest: string,
  source: string | null,
  detections: readonly (Seen | null)[],
  marks: readonly Mark[],
  opened: ReadonlyMap<number, Opened>,
): Checked {
  const outcome = outcomeOf(detections);
  const tested = outcome.tested.map(({ index }) => index).sort((a, b) => a - b);
  const codes = [...new Set(tested.map((index) => languageOf(marks[index] as Mark)))];
  const known = codes.filter((code) => code !== null);
  const foreign = known.length === codes.length && !known.some((code) => fits(text, code));
  return {
    text,
    digest,
    source,
    made: new Date(),
    outcome,
    namesIn: (words) => marks.map((one) => nameOf(one, words)),
    opened,
    gammas: marks.map(gammaOf),
    foreign: foreign ? (words) => known.map((code) => languageName(code, words)) : null,
  };
}
