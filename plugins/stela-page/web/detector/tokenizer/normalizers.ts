/** Normalizers of a tokenizer.json: rewritings of a text before it is cut. */
import { libraryNfc } from "../normal-form";
import { type Draft, type Edit } from "../rewriting";
import { UnsupportedProfile } from "../types";
import { stepsOf } from "./pieces";

/** Rewrites a draft. */
export type Normalizer = (draft: Draft) => void;

/** What a `normalizer` of a tokenizer.json does; undefined where it is none. */
export function normalizerOf(part: unknown): Normalizer | undefined {
  const steps = stepsOf(part, "normalizers").map(stepOf);
  return steps.length ? (draft) => steps.forEach((step) => step(draft)) : undefined;
}

function stepOf(step: Record<string, unknown>): Normalizer {
  if (step["type"] === "NFC") return (draft) => draft.edit(composed(draft.text));
  const pattern = step["pattern"] as { String?: string } | undefined;
  if (step["type"] === "Replace" && pattern?.String === " " && step["content"] === "\u2581") {
    // Equal lengths: nothing to remember.
    return (draft) => draft.edit([[0, draft.text.length, draft.text.replaceAll(" ", "\u2581")]]);
  }
  throw new UnsupportedProfile(`the tokenizer's normalizer ${String(step["type"])} is not known to be exact here`);
}

/** Edits to NFC, cut where ASCII stands next to ASCII: nothing composes across that. */
function* composed(text: string): Iterable<Edit> {
  if (libraryNfc(text) === text) return;
  for (const match of text.matchAll(/[\0-\x7f]?[^\0-\x7f]+/g)) {
    for (const [start, end] of starters(match[0])) {
      const piece = match[0].slice(start, end);
      yield [match.index + start, match.index + end, libraryNfc(piece)];
    }
  }
}

/** Pieces of a text that compose by themselves: cut in front of what composes with nothing before it. */
function* starters(text: string): Iterable<[number, number]> {
  let start = 0;
  for (const match of text.matchAll(/[\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7a3A-Za-z]/g)) {
    if (match.index > start) yield [start, match.index];
    start = match.index;
  }
  if (start < text.length) yield [start, text.length];
}
