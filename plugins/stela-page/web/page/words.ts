/** The page's words, and which of its languages a visitor reads.
 *
 * They lie in `web/words`, a JSON file for each language, for translators. What stands in `{}` is filled in (`filled`); where there
 * is `other`, the forms are those of numbers (`counted`). A language that is added needs its name below, too.
 * Those that are not English lie in the page packed, without the names of the sentences, which are English's
 * (`built/words.json`): as letters of the program they take three times the room.
 */

import en from "../words/en.json";
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

/** The words of each language: English alone until the others are unpacked. */
export const LANGUAGES = Object.fromEntries(Object.keys(NAMES).map((code) => [code, en])) as Record<Language, Words>;

/** Which way a language's lines run. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

/** Make the other languages known; throws Error where they are damaged. */
export async function unpackLanguages(packed: string): Promise<void> {
  const others = JSON.parse(new TextDecoder().decode(await unpacked(packed))) as Record<string, unknown[]>;
  for (const [code, values] of Object.entries(others)) LANGUAGES[code as Language] = named(values, en) as Words;
}

/** Values by the names that they have in English, in the order of English (`valuesOf` in web/build.mjs). */
export function named(values: readonly unknown[], english: Record<string, unknown>): Record<string, unknown> {
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
