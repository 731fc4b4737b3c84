/** A p-value as odds that a reader can picture. Rounding never makes them look rarer than they are. */

import { filled } from "./filled";
import type { Words } from "./words";

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const NAMED = 15;
/** Largest power of ten that has a name in all languages of the page (below a thousand trillion). */

/** `1/p` with one digit that counts, rounded down: as "4 million", "400万", or "10³⁰ (1 and 30 zeros)".
 *
 * @param p above 0 and at most 1.
 */
export function oneIn(p: number, words: Words): string {
  const [digit, exponent] = roundedDown(p);
  if (exponent < NAMED) {
    const number = digit * 10 ** exponent;
    return number < 1e6
      ? number.toLocaleString(words.tag)
      : new Intl.NumberFormat(words.tag, { notation: "compact", compactDisplay: "long" }).format(number);
  }
  const raised = [...String(exponent)].map((character) => SUPERSCRIPT[Number(character)]).join("");
  return filled(words.powersOfTen, { exponent: raised, n: exponent });
}

/** The digit d and the exponent e of the largest d * 10^e, d from 1 to 9, with p <= 1 / (d * 10^e). */
export function roundedDown(p: number): [number, number] {
  // What is smaller than the smallest number there is, is at most that.
  const bounded = Math.min(1, Math.max(p, Number.MIN_VALUE));
  let exponent = Math.max(0, Math.floor(-Math.log10(bounded)));
  // 1/p may be beyond the largest number: p times the power, in two steps, is not.
  const scaled = (power: number): number => bounded * 10 ** Math.min(power, 300) * 10 ** Math.max(0, power - 300);
  while (exponent > 0 && scaled(exponent) > 1) exponent -= 1;
  while (scaled(exponent + 1) <= 1) exponent += 1;
  let digit = 9;
  while (digit > 1 && digit * scaled(exponent) > 1) digit -= 1;
  return [digit, exponent];
}

/** The sentence that goes with a verdict of "no mark found". */
export function oddsOfNone(p: number, words: Words): string {
  if (p > 0.5) return words.mostOdds;
  if (p >= 0.01) return filled(words.commonOdds, { n: Math.ceil(p * 100) });
  return filled(words.rareOdds, { odds: oneIn(p, words) });
}

/** The same in a cell of a table. */
export function oddsCell(p: number, words: Words): string {
  return p >= 0.01
    ? filled(words.shareCell, { n: Math.min(100, Math.ceil(p * 100)) })
    : filled(words.oddsCell, { odds: oneIn(p, words) });
}
