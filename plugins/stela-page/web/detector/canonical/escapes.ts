/** Undo JSON's and HTML's spellings of characters: steps 2 and 3 of docs/canonical-text.md. */
import type { Draft, Edit } from "../rewriting";
import { ENTITIES } from "../tables/entities";

const PAIR = "u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}";
/** Ends of lines; escapes; and a backslash that begins none. */
const JSON_ESCAPE = new RegExp(`\\n|\\\\(?:${PAIR}|["\\\\/bfnrt]|u[0-9a-fA-F]{4})?`, "gu");
const SHORT: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", n: "\n", r: "\r", t: "\t" };
const ENTITY = /&(?:amp;)*(?:(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,7});)?/gu;
const NAMED: ReadonlyMap<string, number> = new Map(Object.entries(ENTITIES));

/** An escape that was escaped. */
const NESTED = /\\\\(?:u[0-9a-fA-F]{4}|\\")/u;
/** All the escapes that a text in JSON needs to stand in JSON again, and line breaks. */
const OUTER: ReadonlySet<string> = new Set(["\\\\", '\\"', "\\/", "\n"]);
const DEEPEST = 4;

/** Escapes of the lines in which every backslash begins one; again where a text is JSON in JSON throughout. */
export function undoJson(draft: Draft): void {
  for (let level = 0; level < DEEPEST && draft.text.includes("\\"); level++) {
    const escapes = Array.from(draft.text.matchAll(JSON_ESCAPE), ([escape]) => escape);
    const nested = NESTED.test(draft.text) && escapes.every((escape) => OUTER.has(escape));
    draft.edit([...jsonEdits(draft.text, linesThatAreNotJson(escapes))]);
    if (!nested) return;
  }
}

function linesThatAreNotJson(escapes: readonly string[]): Set<number> {
  const others = new Set<number>();
  let line = 0;
  for (const escape of escapes) {
    if (escape === "\n") line++;
    else if (escape.length === 1) others.add(line);
  }
  return others;
}

function* jsonEdits(text: string, others: ReadonlySet<number>): Iterable<Edit> {
  let line = 0;
  for (const match of text.matchAll(JSON_ESCAPE)) {
    const escape = match[0];
    if (escape === "\n") line++;
    else if (!others.has(line)) yield [match.index, match.index + escape.length, ofJson(escape)];
  }
}

function ofJson(escape: string): string {
  if (escape[1] !== "u") return SHORT[escape[1]!] ?? escape;
  let code = parseInt(escape.slice(2, 6), 16);
  if (escape.length === 12) code = 0x10000 + ((code - 0xd800) << 10) + parseInt(escape.slice(8), 16) - 0xdc00;
  return character(code) || escape;
}

/** Entities with a name of HTML 4, decimal and hexadecimal ones; the semicolon is needed. */
export function undoHtml(draft: Draft): void {
  if (draft.text.includes("&")) draft.sub(ENTITY, (match) => ofHtml(match[1]));
}

function ofHtml(inner: string | undefined): string {
  if (!inner) return "&";
  let code: number;
  if (inner[0] !== "#") code = NAMED.get(inner) ?? 0;
  else code = /[xX]/.test(inner[1]!) ? parseInt(inner.slice(2), 16) : parseInt(inner.slice(1), 10);
  return character(code) || `&${inner};`;
}

/** The character; nothing for half a one, a control character, or what is none. */
export function character(code: number): string {
  const control = (code < 0x20 && ![9, 10, 13].includes(code)) || (code >= 0x7f && code < 0xa0 && code !== 0x85);
  return control || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? "" : String.fromCodePoint(code);
}
