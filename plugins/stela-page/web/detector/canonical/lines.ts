/** Quote marks of mails, superfluous spaces and hard wraps undone: steps 11, 12 and 14 of docs/canonical-text.md. */
import { classBody, codePoints } from "../characters";
import type { Draft, Edit } from "../rewriting";
import { PYTHON_LETTERS } from "../tables/characters";

const QUOTE = /(?<=^|\n) *>[> ]*/gu;
const EXTRA = / +(?=\n)|(?<=\n) +|(?<= ) +/gu;
const NARROWEST = 40;
const WIDEST = 80;
const SLACK = 2;
/** Characters of two columns. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu;
/** Characters of Chinese and Japanese, punctuation too. */
export const UNSPACED = "[\\u2e80-\\u3029\\u3030-\\u3098\\u309b-\\u312f\\u3190-\\ua4cf\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff00-\\uff60]";
/** Chinese and Japanese: lines break anywhere, and are joined without a space. */
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, "u");
/** Beginning of a line that is not a continuation: an item of a list, a heading, a row. */
const ITEM = /^(?:[-*+\u2022|]|#{1,6}|[0-9]{1,3}[.)]) /u;
const HYPHENATED = new RegExp(`[${classBody(PYTHON_LETTERS)}]-$`, "u");

/** `> ` at the beginning of lines goes. */
export function withoutQuoteMarks(draft: Draft): void {
  if (draft.text.includes(">")) draft.sub(QUOTE, () => "");
}

/** Spaces beside a line break go, and all but the first of a run. */
export function withoutExtraSpaces(draft: Draft): void {
  draft.sub(EXTRA, () => "");
}

/** Lines that were broken where the next piece had no room are joined. */
export function unwrapped(draft: Draft): void {
  if (/[^\n]\n+[^\n]/.test(draft.text)) draft.edit([...joints(draft.text)]);
}

function* joints(text: string): Iterable<Edit> {
  let [start, begin] = [0, 0];
  let block: string[] = [];
  for (const line of text.split("\n")) {
    if (line) {
      if (!block.length) begin = start;
      block.push(line);
    } else {
      yield* jointsOfBlock(block, begin);
      block = [];
    }
    start += line.length + 1;
  }
  yield* jointsOfBlock(block, begin);
}

/** Joints of lines without an empty one between them; a joined line is longer than 80 characters. */
function* jointsOfBlock(lines: readonly string[], begin: number): Iterable<Edit> {
  if (lines.length < 2) return;
  const lengths = lines.map(codePoints);
  const columns = lines.map((line, n) => lengths[n]! + (line.match(WIDE)?.length ?? 0));
  const measures = [lengths, columns]
    .map((sizes) => ({ sizes, widest: sizes.reduce((a, b) => Math.max(a, b), 0) }))
    .filter(({ widest }) => NARROWEST <= widest && widest <= WIDEST);
  if (!measures.length) return;
  let waiting: Edit[] = [];
  let [end, length] = [begin, 0];
  for (let n = 0; n + 1 < lines.length; n++) {
    end += lines[n]!.length;
    length += lengths[n]!;
    const after = lines[n + 1]!;
    const joint = jointOf(lines[n]!, after);
    const first = BEGINS_UNSPACED.test(after) ? 1 : codePoints(after.split(" ", 1)[0]!);
    const forced = measures.some(({ sizes, widest }) => sizes[n]! + joint.length + first + SLACK > widest);
    if (forced && !ITEM.test(after)) {
      waiting.push([end, end + 1, joint]);
      length += joint.length;
    } else {
      if (length > WIDEST) yield* waiting;
      [waiting, length] = [[], 0];
    }
    end += 1;
  }
  if (length + lengths[lengths.length - 1]! > WIDEST) yield* waiting;
}

function jointOf(line: string, after: string): string {
  if (ENDS_UNSPACED.test(line) || BEGINS_UNSPACED.test(after)) return "";
  return HYPHENATED.test(line) ? "" : " ";
}
