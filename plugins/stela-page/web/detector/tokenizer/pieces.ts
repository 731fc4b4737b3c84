/** Pre-tokenizers: functions from a text to where it is cut. */
import { classBody } from "../characters";
import { OF_DIGITS } from "../tables/characters";
import { UnsupportedProfile } from "../types";
import { GPT_2, KNOWN_PATTERNS, translated } from "./patterns";

/** Cuts one piece of a text into smaller ones, none empty, which joined are the piece. */
export type Cutter = (piece: string) => string[];

/** A pre-tokenizer: its cuts, one after the other, and whether its pieces are then written as bytes. */
export interface Cuts {
  readonly cutters: readonly Cutter[];
  readonly bytes: boolean;
}

/** What a `pre_tokenizer` of a tokenizer.json does. */
export function cutsOf(part: unknown): Cuts {
  const cutters: Cutter[] = [];
  let bytes = false;
  for (const step of stepsOf(part, "pretokenizers")) {
    if (bytes) throw new UnsupportedProfile("the tokenizer's pre-tokenizer goes on behind ByteLevel");
    if (step["type"] === "ByteLevel") {
      if (step["add_prefix_space"]) throw new UnsupportedProfile("the tokenizer's ByteLevel adds a space in front");
      if (step["use_regex"] !== false) cutters.push(isolated(translated(GPT_2)));
      bytes = true;
    } else if (step["type"] === "Digits" && step["individual_digits"]) {
      cutters.push(isolated(new RegExp(`[${classBody(OF_DIGITS)}]`, "gu")));
    } else if (step["type"] === "Split") {
      cutters.push(splitOf(step));
    } else {
      throw new UnsupportedProfile(`the tokenizer's pre-tokenizer ${String(step["type"])} is not known to be exact here`);
    }
  }
  return { cutters, bytes };
}

/** The steps of a part of a tokenizer.json, sequences within sequences laid out. */
export function stepsOf(part: unknown, key: string): Record<string, unknown>[] {
  if (part === null || part === undefined) return [];
  const step = part as Record<string, unknown>;
  if (step["type"] !== "Sequence") return [step];
  return (step[key] as unknown[]).flatMap((inner) => stepsOf(inner, key));
}

function splitOf(step: Record<string, unknown>): Cutter {
  const pattern = step["pattern"] as { Regex?: string; String?: string };
  if (!step["invert"]) {
    if (step["behavior"] === "Isolated" && pattern.Regex !== undefined && KNOWN_PATTERNS.includes(pattern.Regex)) {
      return isolated(translated(pattern.Regex));
    }
    if (step["behavior"] === "MergedWithPrevious" && pattern.String === " ") return behindSpaces;
  }
  throw new UnsupportedProfile("the tokenizer's pre-tokenizer splits by a pattern that is not known to be exact here");
}

/** Matches are pieces of their own, and so is what lies between them. */
function isolated(pattern: RegExp): Cutter {
  return (piece) => {
    const matches = piece.match(pattern) ?? [];
    // Nothing lies between them, most often: a browser gives them at once, without an object of each.
    if (matches.every(Boolean) && matches.reduce((sum, match) => sum + match.length, 0) === piece.length) return matches;
    const pieces: string[] = [];
    let done = 0;
    for (const match of piece.matchAll(pattern)) {
      if (!match[0]) continue;
      if (match.index > done) pieces.push(piece.slice(done, match.index));
      done = match.index + match[0].length;
      pieces.push(match[0]);
    }
    if (done < piece.length) pieces.push(piece.slice(done));
    return pieces;
  };
}

function behindSpaces(piece: string): string[] {
  return piece.includes(" ") ? piece.split(/(?<= )/) : [piece];
}
