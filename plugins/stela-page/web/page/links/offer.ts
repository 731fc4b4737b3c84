/** A link to the page with one mark's profile in it, for who wants to hand it on. */

import { element } from "../elements";
import type { Packed } from "../messages";
import type { Words } from "../words";
import { endOf } from "./link";

/** A button that turns into the link, or into the line that says why there is none.
 *
 * Nothing where the page is a file: an address on somebody's disk leads nobody to it.
 */
export function linkTo(mark: Packed, words: Words): Node[] {
  if (!location.protocol.startsWith("http")) return [];
  const button = element("button", { type: "button", class: "link" }, words.link);
  const place = element("p", { class: "linkto" }, button);
  button.addEventListener("click", async () => {
    const end = await endOf(mark);
    if (end === null) return place.replaceChildren(words.linkLarge);
    const address = location.href.split("#")[0] + end;
    const field = element("input", { type: "text", readonly: "", value: address, "aria-label": words.linkIs });
    place.replaceChildren(element("span", {}, words.linkIs, " "), field);
    field.focus();
    field.select();
  });
  return [place];
}
