/** Cyrillic, Greek and Armenian letters that stand in for Latin ones: step 10 of docs/canonical-text.md. */
import type { Draft, Edit } from "../rewriting";
import { LOOKALIKES } from "../tables/lookalikes";

const LATIN = "A-Za-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u024f\\u1e00-\\u1eff";
const FOREIGN = "\\u0370-\\u0373\\u0375-\\u037d\\u037f-\\u0386\\u0388-\\u0589";
const LETTERS: ReadonlyMap<string, string> = new Map(Object.entries(LOOKALIKES));
const KNOWN = `[${[...LETTERS.keys()].join("")}]`;
const WORD = new RegExp(`[${LATIN}${FOREIGN}\\u0300-\\u036f\\u1f00-\\u1fff]+`, "gu");
const HAS_KNOWN = new RegExp(KNOWN, "u");
const HAS_OTHER = new RegExp(`(?!${KNOWN})[${FOREIGN}\\u1f00-\\u1fff]`, "u");
const HAS_LATIN = new RegExp(`[${LATIN}]`, "u");

/** Letters of the table become Latin in words that are meant to be Latin. */
export function latinLookalikes(draft: Draft): void {
  if (HAS_KNOWN.test(draft.text)) draft.edit([...edits(draft.text)]);
}

function* edits(text: string): Iterable<Edit> {
  const words = [...text.matchAll(WORD)];
  const kinds = words.map((match) => isLatin(match[0]));
  let latin = kinds.find((kind) => kind !== undefined) ?? false;
  for (const [n, match] of words.entries()) {
    latin = kinds[n] ?? latin;
    const word = match[0];
    if (!latin || !HAS_KNOWN.test(word)) continue;
    const plain = Array.from(word, (letter) => LETTERS.get(letter) ?? letter).join("");
    yield [match.index, match.index + word.length, plain];
  }
}

/** Undefined for a word that may be either. */
function isLatin(word: string): boolean | undefined {
  if (HAS_OTHER.test(word)) return false;
  return HAS_LATIN.test(word) ? true : undefined;
}
