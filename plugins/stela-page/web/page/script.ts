/** Whether a text is written in the script of a language: a mark that weighs English words says nothing of Japanese ones. */

const SAMPLE = 20_000;
/** Characters that are looked at. */
const FEWEST = 4;
/** Letters: fewer say nothing. */
const MOSTLY = 0.5;
const KANA = { letters: "[\\p{sc=Hira}\\p{sc=Kana}]", share: 0.05 };
/** Japanese has so many, Chinese none. */

/** Whether at least half of the letters are of the script that the language is written in; of a code that is none, true.
 *
 * @param language ISO 639-1, or null for any.
 */
export function fits(text: string, language: string | null): boolean {
  const script = language === null ? undefined : scriptOf(language);
  if (script === undefined) return true;
  const sample = sampleOf(text);
  const letters = count(sample, "\\p{L}");
  if (letters < FEWEST) return true;
  const kana = count(sample, KANA.letters) >= KANA.share * letters;
  if (script === "Jpan") return kana;
  if (script === "Hani" && kana) return false;
  return count(sample, `\\p{sc=${script}}`) >= MOSTLY * letters;
}

/** The four letters of ISO 15924, those that Unicode counts characters by (and Jpan); undefined where none is known. */
function scriptOf(language: string): string | undefined {
  try {
    const script = new Intl.Locale(language).maximize().script;
    if (script === "Hans" || script === "Hant") return "Hani";
    if (script === "Kore") return "Hang";
    if (script !== undefined && script !== "Jpan") new RegExp(`\\p{sc=${script}}`, "u");
    return script;
  } catch {
    return undefined;
  }
}

/** Beginning, middle and end of a long text. */
function sampleOf(text: string): string {
  if (text.length <= SAMPLE) return text;
  const third = Math.floor(SAMPLE / 3);
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, third), text.slice(middle, middle + third), text.slice(-third)].join(" ");
}

function count(text: string, letters: string): number {
  return text.match(new RegExp(letters, "gu"))?.length ?? 0;
}
