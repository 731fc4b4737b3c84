/** A sentence with its gaps filled. */

import { isolated, MAY_TURN } from "./direction";

/** `{name}` in the sentence stands for the value of that name; values are taken as they are, once.
 *
 * Where the sentence or a value may run from right to left, the value is isolated: neither turns the other's order.
 */
export function filled(sentence: string, values: Record<string, string | number>): string {
  const turns = MAY_TURN.test(sentence);
  return sentence.replace(/\{(\w+)\}/g, (gap, name: string) => {
    if (!(name in values)) return gap;
    const value = String(values[name]);
    return turns || MAY_TURN.test(value) ? isolated(value) : value;
  });
}

/** Forms of a sentence by a number's plural category (CLDR), as `Intl.PluralRules` names it; `=1` is said of just one. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule | "=1", string>>;

/** The form of a sentence that goes with a number, with `{n}` as the language writes it. */
export function counted(forms: Forms, n: number, tag: string): string {
  const exact = n === 1 ? forms["=1"] : undefined;
  const form = exact ?? forms[new Intl.PluralRules(tag).select(n)] ?? forms.other;
  return filled(form, { n: n.toLocaleString(tag) });
}
