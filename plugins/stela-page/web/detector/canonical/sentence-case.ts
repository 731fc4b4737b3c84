/** A text in capitals alone, in the case that sentences have: a reading of its own (docs/canonical-text.md). */
import { codePoints } from "../characters";

/** Of the scripts that have case, in ranges in which no version of Unicode adds a pair any more. */
const LETTERS = "A-Za-z\\xc0-\\u017f\\u0370-\\u052f\\u0531-\\u0587\\u1e00-\\u1eff";
const LETTER = new RegExp(`[${LETTERS}]`, "gu");
const FEWEST = 20;

/** Up to the first letter of a sentence or line; English "I"; an initial. */
const BEGINNING = new RegExp(
  `(?:^|[.!?\\u2026]["'\\u2019\\u201d)\\]]* +|\\n)["'\\u2018\\u201c(\\[ ]*[${LETTERS}]` +
    `|(?<![${LETTERS}'\\u2019])I(?![${LETTERS}])` +
    `|(?<![${LETTERS}])[A-Z](?=\\.)`,
  "gu",
);

/** The text in sentence case; itself, unless nearly all its characters are capitals. */
export function inSentenceCase(text: string): string {
  if (isMostlySmall(text)) return text;
  const found = text.match(LETTER) ?? [];
  const capitals = found.filter((letter) => lower(letter) !== letter).length;
  const small = found.filter((letter) => letter.toUpperCase() !== letter).length;
  if (capitals < FEWEST || 2 * capitals < codePoints(text) || 20 * small > capitals) return text;
  const kept = new Set(Array.from(text.matchAll(BEGINNING), (match) => match.index + match[0].length - 1));
  return text.replace(LETTER, (letter, at: number) => (kept.has(at) ? letter : lower(letter)));
}

/** Whether small letters of ASCII already are more than a twentieth of all characters: capitals cannot be more than these. */
function isMostlySmall(text: string): boolean {
  let small = 0;
  for (let n = 0; n < text.length; n++) {
    const unit = text.charCodeAt(n);
    if (unit >= 0x61 && unit <= 0x7a) small++;
  }
  return 20 * small > text.length;
}

/** The small letter, where it is one character. */
function lower(letter: string): string {
  const small = letter.toLowerCase();
  return small.length === 1 ? small : letter;
}
