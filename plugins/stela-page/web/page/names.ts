/** What marks are called: by what their profiles say. A file's name is somebody's label on his own disk. */

import { isHere, type Mark } from "./data";
import { filled } from "./filled";
import type { Words } from "./words";

interface Content {
  scheme: { name: string };
  language?: string | null;
  hasher: { key?: string | null; key_id: string | null; earlier_keys?: { key?: string | null; key_id: string | null }[] };
}

/** As "learned-text for English, key 4ee66c0d". */
export function nameOf(mark: Mark, words: Words): string {
  const { scheme, language, key } = aboutOf(mark);
  if (language === null) return filled(words.markNameAny, { scheme, key });
  return filled(words.markName, { scheme, key, language: languageName(language, words) });
}

/** The language that a mark's texts are in, or null for any. */
export function languageOf(mark: Mark): string | null {
  return aboutOf(mark).language;
}

function aboutOf(mark: Mark): { scheme: string; language: string | null; key: string } {
  if (!isHere(mark)) return { scheme: mark.scheme, language: mark.language, key: mark.key_id };
  const { scheme, language, hasher } = JSON.parse(mark.content) as Content;
  const known = [hasher, ...(hasher.earlier_keys ?? [])].find(({ key }) => key) ?? hasher;
  return { scheme: scheme.name, language: language ?? null, key: known.key_id ?? "" };
}

/** A language as the page's visitor calls it. */
export function languageName(code: string, words: Words): string {
  try {
    return new Intl.DisplayNames([words.tag], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Names in a row: "English, Chinese and Korean". */
export function listed(names: readonly string[], words: Words): string {
  return new Intl.ListFormat(words.tag).format(names);
}
