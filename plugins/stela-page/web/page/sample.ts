/** Text in a language, of the page's own words. */

import { LANGUAGES, type Language } from "./words";

const CHARACTERS = 4_000;

/** So many characters at most; English where the page does not speak the language. */
export function sampleIn(language: string | null): string {
  const known = language !== null && Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language as Language] : LANGUAGES.en;
  return stringsOf(known).join(" ").slice(0, CHARACTERS);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
