/** Regular expressions of pre-tokenizers, in JavaScript with the characters of the tokenizers' library. */
import { classBody } from "../characters";
import * as of from "../tables/characters";

const LETTERS = [of.OF_Lu, of.OF_Lt, of.OF_Lm, of.OF_Lo, of.OF_Ll];
const CLASSES: Record<string, string> = {
  "\\p{L}": LETTERS.map(classBody).join(""),
  "\\p{N}": classBody(of.OF_N),
  "\\p{M}": classBody(of.OF_M),
  "\\p{Lu}": classBody(of.OF_Lu),
  "\\p{Lt}": classBody(of.OF_Lt),
  "\\p{Lm}": classBody(of.OF_Lm),
  "\\p{Lo}": classBody(of.OF_Lo),
  "\\p{Ll}": classBody(of.OF_Ll),
  "\\s": classBody(of.OF_SPACE),
};

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const CASELESS = "(?:'[sS\\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";

/** What ByteLevel cuts by: the pattern of GPT-2. */
export const GPT_2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/** Patterns of Split that were shown to cut alike here and there. */
export const KNOWN_PATTERNS: readonly string[] = [
  GPT_2,
  // tiktoken's way to write it
  "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  // cl100k_base, Llama 3
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  // Qwen 2 and 3
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  // o200k_base
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
];

/** A known pattern as a global regular expression. */
export function translated(pattern: string): RegExp {
  const source = pattern
    .replaceAll(CONTRACTIONS, CASELESS)
    .replace(/\[(\^?)((?:\\p\{\w+\}|\\[srn]|[^\]\\])*)\]|\\p\{\w+\}|\\s|\\S/g, (part, not?: string, body?: string) => {
      if (body !== undefined) return `[${not}${body.replace(/\\p\{\w+\}|\\s/g, (name) => CLASSES[name]!)}]`;
      return part === "\\S" ? `[^${CLASSES["\\s"]}]` : `[${CLASSES[part]}]`;
    });
  return new RegExp(source, "gu");
}
