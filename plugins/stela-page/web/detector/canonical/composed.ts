/** NFC, and no more than 30 marks in a row: step 9 of docs/canonical-text.md. */
import { classBody } from "../characters";
import { pythonNfc } from "../normal-form";
import type { Draft, Edit } from "../rewriting";
import { PYTHON_MARKS } from "../tables/characters";

/** Ranges that hold all that may compose with, or be sorted behind, a character before it (Unicode 14). */
const UNSURE =
  "\\u0300-\\u036f\\u0483-\\u0489\\u0590-\\u109f\\u1160-\\u1dff\\u20d0-\\u20ff\\u2cef-\\u2cf1\\u2d7f-\\u2dff\\u302a-\\u302f" +
  "\\u3099\\u309a\\ua66f-\\ua6f1\\ua800-\\uabff\\ufb1d-\\ufb4f\\ufe20-\\ufe2f\\u{10000}-\\u{1d3ff}\\u{1d800}-\\u{1efff}";
/** Ranges that hold all others that NFC changes. */
const SINGLE =
  "\\u0374\\u037e\\u0387\\u1f00-\\u1fff\\u2000\\u2001\\u2126\\u212a\\u212b\\u2329\\u232a\\u2adc\\uf900-\\ufad9\\u{2f800}-\\u{2fa1d}";
const UNCOMPOSED = new RegExp(`[${UNSURE}${SINGLE}]`, "u");
const PIECE = new RegExp(`[^${UNSURE}]?[${UNSURE}]+|[${SINGLE}]`, "gu");
const LONG_RUN = new RegExp(`[${UNSURE}]{31,}`, "gu");
const MARK = new RegExp(`[${classBody(PYTHON_MARKS)}]`, "u");
const MOST_MARKS = 30;

/** NFC; of a run of more than 30 marks the rest is taken out. */
export function composed(draft: Draft): void {
  if (!UNCOMPOSED.test(draft.text)) return;
  draft.edit([...marksTooMany(draft.text)]);
  draft.sub(PIECE, (match) => pythonNfc(match[0]));
  draft.edit([...marksTooMany(draft.text)]); // one character may be two marks in NFC
}

function* marksTooMany(text: string): Iterable<Edit> {
  for (const run of text.matchAll(LONG_RUN)) {
    let at = run.index;
    let marks = 0;
    let full = at; // behind the last mark that stays
    for (const character of run[0]) {
      if (MARK.test(character)) {
        marks++;
        if (marks === MOST_MARKS) full = at + character.length;
      } else {
        if (marks > MOST_MARKS) yield [full, at, ""];
        marks = 0;
      }
      at += character.length;
    }
    if (marks > MOST_MARKS) yield [full, at, ""];
  }
}
