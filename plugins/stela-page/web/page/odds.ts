/** A p-value as odds that a reader can picture. Rounding never makes them look rarer than they are. */

import { filled } from "./filled";
import type { Words } from "./words";

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export const RAREST = 1e-9;
/** Odds beyond 1 in a billion mean nothing to a reader: p itself stands beside them. */

/** `1/p` with one digit that counts, rounded down, and at most a billion: as "4 million", "400万".
 *
 * @param p above 0 and at most 1.
 */
export function oneIn(p: number, words: Words): string {
  const [digit, exponent] = roundedDown(Math.max(p, RAREST));
  const number = digit * 10 ** exponent;
  return number < 1e6
    ? number.toLocaleString(words.tag)
    : new Intl.NumberFormat(words.tag, { notation: "compact", compactDisplay: "long" }).format(number);
}

/** The number itself in three digits: as "0.042", or "1.32 × 10⁻²³", with the language's decimal point.
 *
 * @param p above 0 and at most 1.
 */
export function inDigits(p: number, { tag }: Words): string {
  if (p >= 1e-4) return p.toLocaleString(tag, { maximumSignificantDigits: 3 });
  const [digits, power] = p.toExponential(2).split("e") as [string, string];
  return `${Number(digits).toLocaleString(tag, { minimumFractionDigits: 2 })} × 10${raised(power)}`;
}

/** A bound in one digit, rounded up: as "0.002", or "8 × 10⁻³⁸". */
export function atMost(bound: number, { tag }: Words): string {
  const [digits, power] = bound.toExponential().split("e") as [string, string];
  const digit = Number(digits[0]) + Number(digits.length > 1);
  const [first, exponent] = digit === 10 ? [1, Number(power) + 1] : [digit, Number(power)];
  if (exponent >= -4) return Number(`${first}e${exponent}`).toLocaleString(tag, { maximumSignificantDigits: 1 });
  return `${first} × 10${raised(String(exponent))}`;
}

function raised(power: string): string {
  return [...power].map((one) => (one === "-" ? "⁻" : SUPERSCRIPT[Number(one)])).join("");
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
  if (p >= 0.01) return filled(words.shareCell, { n: Math.min(100, Math.ceil(p * 100)) });
  return filled(p < RAREST ? words.rarestCell : words.oddsCell, { odds: oneIn(p, words) });
}
