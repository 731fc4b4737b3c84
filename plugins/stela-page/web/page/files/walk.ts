/** A tree walked without recursion: a stranger's document may be nested deeper than the stack. */

/** Visits nodes in the order of the document; what `enter` refuses is left out with all that is in it. */
export function walk(root: Node, enter: (node: Node) => boolean, leave: (node: Node) => void): void {
  let here = root;
  for (;;) {
    if (enter(here)) {
      if (here.firstChild !== null) {
        here = here.firstChild;
        continue;
      }
      leave(here);
    }
    while (here !== root && here.nextSibling === null) {
      here = here.parentNode as Node;
      leave(here);
    }
    if (here === root) return;
    here = here.nextSibling as Node;
  }
}
