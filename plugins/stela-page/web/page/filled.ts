/** A sentence with its gaps filled. */

/** `{name}` in the sentence stands for the value of that name; values are taken as they are, once. */
export function filled(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (gap, name: string) => (name in values ? String(values[name]) : gap));
}

/** The form of a sentence that goes with a number, with `{n}` as the language writes it. */
export function counted(forms: { one: string; other: string }, n: number, tag: string): string {
  const form = n === 1 ? forms.one : forms.other;
  return filled(form, { n: n.toLocaleString(tag) });
}
