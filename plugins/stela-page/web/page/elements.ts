/** Elements made of text alone: nothing that a stranger wrote ever becomes markup. */

type Attributes = Record<string, string>;

/** An element with attributes and children; strings become text nodes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The element of the template with this id. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const there = document.getElementById(id);
  if (there === null) throw new Error(`the page has no element "${id}"`);
  return there as T;
}
