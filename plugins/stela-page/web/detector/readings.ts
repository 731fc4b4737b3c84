/** What a text may have been before it was copied, pasted or sent: its readings, each tested. */
import { inSentenceCase } from "./canonical/sentence-case";
import { canonicalText } from "./canonical/text";
import { inGiven } from "./rewriting";

/** A boundary between characters, in UTF-16 units. */
export type Place = number;

/** One way to read a text. */
export interface Reading {
  readonly name: "as it is" | "canonical" | "in sentence case";
  /** What is tested. */
  readonly text: string;
  /** The text as it was given. */
  readonly given: string;
  /** Where ascending boundaries of `text` lie in `given`. */
  readonly inGiven: (places: Place[]) => Place[];
  /** What part of alpha it may use up. */
  readonly share: number;
}

/** Shares of alpha: of the text as it is, and of all other readings together. */
const [FIRST, OTHERS] = [0.9, 0.1];

/** The text itself, and, where they are other texts, its canonical form and that in sentence case. */
export function readingsOf(text: string): Reading[] {
  const canonical = canonicalText(text);
  const cased = inSentenceCase(canonical.text);
  const back = (places: Place[]): Place[] => inGiven(places, canonical.steps).map((place) => whole(text, place));
  const others: Omit<Reading, "share">[] = [];
  if (canonical.text !== text) others.push({ name: "canonical", text: canonical.text, given: text, inGiven: back });
  if (cased !== canonical.text) others.push({ name: "in sentence case", text: cased, given: text, inGiven: back });
  const first = others.length ? FIRST : 1;
  const itself: Reading = { name: "as it is", text, given: text, inGiven: (places) => places, share: first };
  return [itself, ...others.map((one) => ({ ...one, share: OTHERS / others.length }))];
}

/** A place within a surrogate pair is moved behind it. */
function whole(text: string, place: Place): Place {
  const inside = (text.charCodeAt(place) & 0xfc00) === 0xdc00 && (text.charCodeAt(place - 1) & 0xfc00) === 0xd800;
  return inside ? place + 1 : place;
}
