/** What a text may have been before it was copied, pasted or sent: its readings, each tested. */
import { canonicalText } from "./canonical/text";
import { inGiven } from "./rewriting";

/** A boundary between characters, in UTF-16 units. */
export type Place = number;

/** One way to read a text. */
export interface Reading {
  readonly name: "as it is" | "canonical";
  /** What is tested. */
  readonly text: string;
  /** The text as it was given. */
  readonly given: string;
  /** Where ascending boundaries of `text` lie in `given`. */
  readonly inGiven: (places: Place[]) => Place[];
}

/** The text itself, and its canonical form where that is another text. */
export function readingsOf(text: string): Reading[] {
  const itself: Reading = { name: "as it is", text, given: text, inGiven: (places) => places };
  const canonical = canonicalText(text);
  if (canonical.text === text) return [itself];
  const back = (places: Place[]): Place[] => inGiven(places, canonical.steps).map((place) => whole(text, place));
  return [itself, { name: "canonical", text: canonical.text, given: text, inGiven: back }];
}

/** A place within a surrogate pair is moved behind it. */
function whole(text: string, place: Place): Place {
  const inside = (text.charCodeAt(place) & 0xfc00) === 0xdc00 && (text.charCodeAt(place - 1) & 0xfc00) === 0xd800;
  return inside ? place + 1 : place;
}
