/** The page's words in three languages, and which of them a visitor reads.
 *
 * Those that are not English lie in the page packed (`words/others.ts`): as letters of the program they take three times the room.
 */

import { unpacked } from "./unpacked";
import { en, type Words } from "./words/en";

export type { Words };
export type Language = "en" | "zh" | "ko";

export const NAMES: Readonly<Record<Language, string>> = { en: "English", zh: "中文", ko: "한국어" };

/** The words of each language: English alone until the others are unpacked. */
export const LANGUAGES: Record<Language, Words> = { en, zh: en, ko: en };

/** Make the other languages known; throws Error where they are damaged. */
export async function unpackLanguages(packed: string): Promise<void> {
  Object.assign(LANGUAGES, JSON.parse(new TextDecoder().decode(await unpacked(packed))));
}

/** The first of the visitor's languages that the page speaks; English where it speaks none. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split("-")[0];
    if (code === "en" || code === "zh" || code === "ko") return code;
  }
  return "en";
}
