/** The canonical form of a text: the same for a text and for what copying and pasting made of it. */
import { Draft } from "../rewriting";
import { composed } from "./composed";
import { undoHtml, undoJson } from "./escapes";
import { unwrapped, withoutExtraSpaces, withoutQuoteMarks } from "./lines";
import { latinLookalikes } from "./lookalikes";
import { unparted, unspread } from "./spread";
import { undoMisread, undoPercent, undoQuotedPrintable } from "./transfer";
import { plainLetters, plainSpaces, withoutInvisible } from "./unseen";

const STEPS = [
  undoPercent,
  undoQuotedPrintable,
  undoJson,
  undoHtml,
  undoMisread,
  plainSpaces,
  withoutInvisible,
  unspread,
  plainLetters,
  composed,
  latinLookalikes,
  withoutQuoteMarks,
  withoutExtraSpaces,
  unparted,
  unwrapped,
  composed, // an accent on what was a Cyrillic letter, at the beginning of what was a line
];

/** The canonical form of a text of well-formed unicode, with the steps that lead back. */
export function canonicalText(text: string): Draft {
  const draft = new Draft(text);
  for (const step of STEPS) step(draft);
  return draft;
}
