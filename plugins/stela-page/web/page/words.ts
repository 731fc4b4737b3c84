/** The page's words, and which of its languages a visitor reads.
 *
 * They lie in `web/words`, a JSON file for each language, for translators. What stands in `{}` is filled in (`filled`); where there
 * is `one` beside `other`, `one` is what is said of a single thing. A language that is added needs its name below, too.
 * Those that are not English lie in the page packed (`built/words.json`): as letters of the program they take three times the room.
 */

import en from "../words/en.json";
import { unpacked } from "./unpacked";

export type Words = typeof en;

export const NAMES = {
  en: "English",
  zh: "中文",
  ko: "한국어",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  pt: "Português",
} as const;
export type Language = keyof typeof NAMES;

/** The words of each language: English alone until the others are unpacked. */
export const LANGUAGES = Object.fromEntries(Object.keys(NAMES).map((code) => [code, en])) as Record<Language, Words>;

/** Make the other languages known; throws Error where they are damaged. */
export async function unpackLanguages(packed: string): Promise<void> {
  Object.assign(LANGUAGES, JSON.parse(new TextDecoder().decode(await unpacked(packed))));
}

/** The first of the visitor's languages that the page speaks; English where it speaks none. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split("-")[0] ?? "";
    if (Object.hasOwn(NAMES, code)) return code as Language;
  }
  return "en";
}
