/** What a service answers, in the terms of the page: places in UTF-16, passages beside the verdict on the whole text. */

import type { Detection, Passage, TokenEvidence } from "../detector/types";

/** Of `POST /v1/detect`, as far as the page reads it (docs/service.md); places count whole characters. */
export interface Answer extends Omit<Detection, "tokens" | "passages" | "window"> {
  tokens?: { text: string; start: number; end: number; green: boolean | null; weight: number | null }[];
  passages?: Passage[];
}

/** The detection of a text.
 *
 * @param whole the answer without passages: its verdict rests on the whole text.
 * @param passages those of the answer with them.
 */
export function detectionOf(text: string, whole: Answer, passages: readonly Passage[]): Detection {
  const places = placesOf(text);
  const at = (character: number): number => places[Math.min(character, places.length - 1)] as number;
  return {
    ...whole,
    z: whole.z,
    green_fraction: whole.green_fraction ?? null,
    tokens: (whole.tokens ?? []).map(({ start, end, green, weight, text }): TokenEvidence => {
      const score = green === null ? null : Number(green);
      return { text, start: at(start), end: at(end), green, weight, score };
    }),
    passages: passages.map(({ start, end, p_value, message }) => ({ start: at(start), end: at(end), p_value, ...(message && { message }) })),
  };
}

/** Where each character begins, and the end. */
function placesOf(text: string): number[] {
  const places = [0];
  for (const character of text) places.push((places.at(-1) as number) + character.length);
  return places;
}
