/** The page's words, and which of its languages a visitor reads.
 *
 * They lie in `web/words`, a JSON file for each language, for translators. What stands in `{}` is filled in (`filled`); where there
 * is `other`, the forms are those of numbers (`counted`). A language that is added needs its name below, too.
 * They lie in the page packed (`built/words.json`), those that are not English without the names of the sentences: as letters of
 * the program they take three times the room.
 */

import type en from "../words/en.json";
import type { Forms } from "./filled";
import { unpacked } from "./unpacked";

type Counted = "characters" | "about" | "secretKeys";
export type Words = Omit<typeof en, Counted> & Record<Counted, Forms>;

export const NAMES = {
  en: "English",
  zh: "中文",
  ko: "한국어",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  pt: "Português",
  ar: "العربية",
  hi: "हिन्दी",
  id: "Bahasa Indonesia",
  ja: "日本語",
  ru: "Русский",
  tr: "Türkçe",
  vi: "Tiếng Việt",
} as const;
export type Language = keyof typeof NAMES;

/** The words of each language: none until they are unpacked. */
export const LANGUAGES = {} as Record<Language, Words>;

/** Which way a language's lines run. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

/** Make the languages known; throws Error where they are damaged. */
export async function unpackLanguages(packed: string): Promise<void> {
  Object.assign(LANGUAGES, languagesOf(new TextDecoder().decode(await unpacked(packed))));
}

/** The words of each language out of `built/words.json`. */
export function languagesOf(content: string): Record<Language, Words> {
  const { en: english, ...others } = JSON.parse(content) as { en: Words; [code: string]: unknown };
  const each = Object.entries(others).map(([code, values]) => [code, named(values as unknown[], english)]);
  return { ...Object.fromEntries(each), en: english };
}

/** Values by the names that they have in English, in the order of English (`valuesOf` in web/build.mjs). */
function named(values: readonly unknown[], english: Record<string, unknown>): Record<string, unknown> {
  const fit = ([name, said]: [string, unknown], n: number): [string, unknown] =>
    isGroup(said) ? [name, named(values[n] as unknown[], said)] : [name, values[n]];
  return Object.fromEntries(Object.entries(english).map(fit));
}

/** Sentences with names of their own, not the forms of one. */
function isGroup(said: unknown): said is Record<string, unknown> {
  return typeof said === "object" && said !== null && !("other" in said);
}

/** The first of the visitor's languages that the page speaks; English where it speaks none. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split("-")[0] ?? "";
    if (Object.hasOwn(NAMES, code)) return code as Language;
  }
  return "en";
}
