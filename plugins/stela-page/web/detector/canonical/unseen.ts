/** Odd spaces, invisible characters, letters in costume: steps 5, 6 and 8 of docs/canonical-text.md. */
import { classBody } from "../characters";
import type { Draft } from "../rewriting";
import { IGNORABLE } from "../tables/ignorable";
import { UNSPACED } from "./lines";

const BREAK = /\r\n|[\r\v\f\x85\u2028\u2029]/gu;
const SPACE = /[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;
/** Hangul's fillers, which look empty where a font has them. */
const FILLER = /[\u3164\uffa0]/gu;
/** One of them where no space would stand. */
const PUT_IN = new RegExp(`[\\u3164\\uffa0](?:[ \\n\\u3164\\uffa0]|${UNSPACED})|(?:[ \\n]|${UNSPACED})[\\u3164\\uffa0]`, "u");
const NEITHER = /[^ \n\u3164\uffa0]/gu;

const CONTROLS = "\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f";
/** What Unicode calls default-ignorable; annotations, and what stands for an object. */
const INVISIBLE = `${classBody(IGNORABLE)}\\ufff9-\\ufffc`;
/** Selectors of Mongolian letters. */
const MONGOLIAN = "\\u180b-\\u180d\\u180f";
const EMOJI =
  "\\u203c\\u2049\\u2122\\u2139\\u2190-\\u21ff\\u2300-\\u2328\\u232b-\\u23ff\\u24c2\\u25a0-\\u27bf\\u2900-\\u297f" +
  "\\u2b00-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}";
/** Scripts spelt with joiners: Arabic, Indic, Tibetan, Myanmar, Khmer, Mongolian. */
const JOINED =
  "\\u0600-\\u08ff\\u0900-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\ua840-\\ua87f\\ufb50-\\ufdff\\ufe70-\\ufefe";

const OUT = new RegExp(
  "\\u{1f3f4}[\\u{e0020}-\\u{e007e}]+\\u{e007f}" + // flags of England, Scotland, Wales: stay
    "|\\xad+ *\\n[> ]*(?=[a-z\\xdf-\\xff])" + // a word divided at the end of a line
    `|(?:(?![\\u200c\\u200d\\ufe0e\\ufe0f${MONGOLIAN}])[${CONTROLS}${INVISIBLE}])+` +
    `|(?<![${JOINED}${EMOJI}])(?<![${EMOJI}#*0-9]\\ufe0f)[\\u200c\\u200d]+` +
    `|(?<![${EMOJI}#*0-9])[\\ufe0e\\ufe0f]+|(?<![\\u1820-\\u18af])[${MONGOLIAN}]+`,
  "gu",
);

/** Letters and digits of mathematics, and those of full width. */
const COSTUME =
  /[\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212c\u212d\u212f-\u2131\u2133\u2134\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/gu;

/** Every line break is a line feed, every space a space; Hangul's fillers go where they were put between letters. */
export function plainSpaces(draft: Draft): void {
  draft.sub(BREAK, () => "\n");
  draft.sub(SPACE, () => " ");
  const fillers = draft.text.match(FILLER)?.length ?? 0;
  if (!fillers) return;
  const putIn = 2 * fillers > (draft.text.match(NEITHER)?.length ?? 0) || PUT_IN.test(draft.text);
  draft.sub(FILLER, () => (putIn ? "" : " "));
}

/** What no reader sees is taken out. */
export function withoutInvisible(draft: Draft): void {
  draft.sub(OUT, (match) => (match[0].startsWith("\u{1f3f4}") ? match[0] : ""));
}

/** Letters and digits in costume are plain ones, one character each. */
export function plainLetters(draft: Draft): void {
  draft.sub(COSTUME, (match) => plainOf(match[0]));
}

// Characters of U+1D400 to U+1D7FF that Unicode 14 had not assigned, and has not since, stay as they are.
function plainOf(letter: string): string {
  return letter.normalize("NFKC");
}
