/** Undo percent-encoding, quoted-printable and misread UTF-8: steps 1 and 4 of docs/canonical-text.md. */
import { codePoints } from "../characters";
import type { Draft, Edit } from "../rewriting";
import { character } from "./escapes";

const HEX = "[0-9a-fA-F]";

/** The pattern of one character of UTF-8, each byte a mark and two hexadecimal digits. */
function utf8(mark: string): string {
  const more = `${mark}[89abAB]${HEX}`;
  const two = `(?:[cC][2-9a-fA-F]|[dD]${HEX})`;
  return `${mark}(?:[0-7]${HEX}|${two}${more}|[eE]${HEX}(?:${more}){2}|[fF][0-4](?:${more}){3})`;
}

/** What stands between spaces, line breaks and characters that no address holds. */
const RUN = /[!-~]+/gu;
const BARE_PERCENT = new RegExp(`%(?!${HEX}{2})`, "u");
const PERCENT = new RegExp(`${utf8("%")}|\\+`, "gu");
const FEWEST_ESCAPES = 8;

const ASCII = /^[\0-\x7f]*$/u;
const SOFT_BREAK = /=[ \t]*(?:\r\n|[\r\n]|$)/gu;
const BARE_EQUALS = new RegExp(`=(?!${HEX}{2}|[ \\t]*(?:[\\r\\n]|$))`, "u");
const QUOTED = new RegExp(utf8("="), "gu");
/** What hardly stands in another text: a soft break, the beginning of a character of several bytes. */
const TELLING = new RegExp(`=[ \\t]*[\\r\\n]|=[c-fC-F]${HEX}=`, "gu");
const FEWEST_TELLING = 2;

/** Bytes 80 to 9F of windows-1252; a byte without a character is a control character, or U+FFFD. */
const WINDOWS =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const MORE = `[\\x80-\\xbf${WINDOWS}\\ufffd]`;
const BROKEN = new RegExp(`[\\xc2-\\xdf]${MORE}|[\\xe0-\\xef]${MORE}{2}|[\\xf0-\\xf4]${MORE}{3}`, "gu");
const NOT_ASCII = /[^\0-\x7f]/gu;
const FEWEST_BROKEN = 3;
/** Code points that so many bytes of UTF-8 are needed for begin here. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000];

/** `%20` and the like, where runs full of them make up half of the text. */
export function undoPercent(draft: Draft): void {
  const { text } = draft;
  if (!text.includes("%")) return;
  const runs = [...text.matchAll(RUN)].filter(([run]) => isEncoded(run));
  const length = runs.reduce((sum, [run]) => sum + run.length, 0);
  if (2 * length >= codePoints(text)) draft.edit(runs.flatMap((run) => percentEdits(run[0], run.index)));
}

/** At least eight escapes, or plus signs for spaces beside escapes, and no other percent sign. */
function isEncoded(run: string): boolean {
  let escapes = run.split("%").length - 1;
  if (escapes && !run.includes("%20")) escapes += run.split("+").length - 1;
  return escapes >= FEWEST_ESCAPES && !BARE_PERCENT.test(run);
}

function percentEdits(run: string, start: number): Edit[] {
  const space = run.includes("%20") ? "+" : " ";
  return [...run.matchAll(PERCENT)].map((match) => {
    const at = start + match.index;
    return [at, at + match[0].length, match[0] === "+" ? space : ofHex(match[0])];
  });
}

/** Soft line breaks and `=C3=A9`, in a text of ASCII alone in which every equals sign is one of these. */
export function undoQuotedPrintable(draft: Draft): void {
  const { text } = draft;
  if (!text.includes("=") || !ASCII.test(text) || BARE_EQUALS.test(text)) return;
  if ((text.match(TELLING)?.length ?? 0) < FEWEST_TELLING) return;
  draft.sub(SOFT_BREAK, () => "");
  draft.sub(QUOTED, (match) => ofHex(match[0]));
}

/** UTF-8 that was read as Latin-1 or windows-1252, where that explains what is not ASCII in the text. */
export function undoMisread(draft: Draft): void {
  const found = draft.text.match(BROKEN) ?? [];
  if (found.length < FEWEST_BROKEN) return;
  const others = draft.text.match(NOT_ASCII)!.length;
  const explained = found.reduce((sum, one) => sum + one.length, 0);
  if (4 * explained >= 3 * others) draft.sub(BROKEN, (match) => ofMisread(match[0]));
}

function ofMisread(characters: string): string {
  if (characters.includes("\ufffd")) return "\ufffd"; // a byte is lost, and so is the character
  const bytes = Array.from(characters, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x100 ? code : 0x80 + WINDOWS.indexOf(c);
  });
  return ofUtf8(bytes) || characters;
}

function ofHex(escape: string): string {
  return ofUtf8(escape.slice(1).split(escape[0]!).map((byte) => parseInt(byte, 16))) || escape;
}

/** The character; nothing for what is none, or a control character. */
function ofUtf8(bytes: readonly number[]): string {
  const [first, ...more] = bytes;
  const code = more.reduce((sum, byte) => (sum << 6) + (byte & 0x3f), more.length ? first! & (0x3f >> more.length) : first!);
  return code < LEAST[bytes.length]! ? "" : character(code);
}
