/** Spaces that were put between the characters of a text: steps 7 and 13 of docs/canonical-text.md. */
import { codePoints } from "../characters";
import type { Draft, Edit } from "../rewriting";
import { UNSPACED } from "./lines";

/** Between two characters of Chinese or Japanese. */
const GAP = new RegExp(`(?<=${UNSPACED}) +(?=${UNSPACED})`, "gu");
const TOUCHING = new RegExp(`${UNSPACED}(?=\\n?${UNSPACED})`, "gu");
const FEWEST_GAPS = 5;
const SHORTEST = 40;

/** Spaces between all characters. */
export function unspread(draft: Draft): void {
  draft.edit(everySecond(draft.text));
}

/** Spaces between Chinese or Japanese characters, where a quarter of these are parted and the text is mostly these. */
export function unparted(draft: Draft): void {
  const gaps = draft.text.match(GAP)?.length ?? 0;
  if (gaps < FEWEST_GAPS) return;
  const touching = draft.text.match(TOUCHING)?.length ?? 0;
  const length = codePoints(draft.text.replace(/\n/gu, ""));
  if (3 * gaps >= touching && 3 * (gaps + touching) >= length) draft.sub(GAP, () => "");
}

/** Every second character taken out where all of these are spaces, and not half of the others. */
function everySecond(text: string): Edit[] {
  if (text[1] !== " " && text[2] !== " ") return [];
  const characters = Array.from(text.replace(/\n+$/u, ""));
  if (characters.length < SHORTEST) return [];
  const edits: Edit[] = [];
  let [at, spaces] = [0, 0];
  for (const [n, character] of characters.entries()) {
    if (n % 2 && character !== " ") return [];
    if (n % 2) edits.push([at, at + 1, ""]);
    else if (character === " ") spaces++;
    at += character.length;
  }
  return 2 * spaces < Math.ceil(characters.length / 2) ? edits : [];
}
