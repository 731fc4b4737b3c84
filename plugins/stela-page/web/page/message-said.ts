/** A message that was read, and how sure one may be of it. */

import type { ReadMessage } from "../detector/types";
import { element } from "./elements";
import { filled } from "./filled";
import { atMost } from "./odds";
import type { Words } from "./words";

/** Its digits, and the sentences behind them. */
export function messageSaid(message: ReadMessage, words: Words): HTMLElement {
  return element("span", {}, element("code", {}, message.hex), ` – ${sentencesOf(message, words).join(" ")}`);
}

/** How sure its digits are. */
export function sentencesOf({ hex, sure, error, errors, mixed }: ReadMessage, words: Words): string[] {
  if (mixed) return [words.messageMixed];
  if (sure) return [filled(words.messageSure, { error: atMost(error, words) })];
  const shown = [...hex].flatMap((digit, n) => (digit === "?" ? [] : [errors?.[n]]));
  if (!shown.length) return [words.messageNone];
  const known = shown.filter((one) => one !== undefined);
  const bound = known.length ? [filled(words.messageShown, { error: atMost(Math.max(...known), words) })] : [];
  return [words.messagePart, ...bound];
}
