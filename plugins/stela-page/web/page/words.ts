/** The page's words in three languages, and which of them a visitor reads. */

import { en, type Words } from "./words/en";
import { ko } from "./words/ko";
import { zh } from "./words/zh";

export type { Words };
export type Language = "en" | "zh" | "ko";

export const LANGUAGES: Record<Language, Words> = { en, zh, ko };

/** The first of the visitor's languages that the page speaks; English where it speaks none. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split("-")[0];
    if (code === "en" || code === "zh" || code === "ko") return code;
  }
  return "en";
}
