/** The text of a .docx document's body, as `stela detect` reads it (stela_documents/extract_docx.py). */

import { walk } from "./walk";
import { member } from "./zip";

const MOST = 1 << 26;
/** Bytes of the body, unpacked. */

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const LEFT_OUT = new Set(["del", "moveFrom", "Fallback", "instrText", "delText", "rt"]);
/** Deleted text of tracked changes, the second copy of text boxes, and glosses of a phonetic guide. */
const DEEP = 10;
/** So often styles are based on each other. */
const CHARACTERS = new Map([["tab", "\t"], ["br", "\n"], ["cr", "\n"], ["noBreakHyphen", "-"]]);
/** A map: names are a stranger's, and objects have more of them than they show. */

/** Paragraphs in their order, one on each line; tracked changes are taken as accepted.
 *
 * @throws Error where it is not a .docx document.
 */
export async function textOfDocx(file: Uint8Array): Promise<string> {
  const bytes = await member(file, "word/document.xml", MOST);
  if (bytes === null) throw new Error("no document");
  const body = parsed(bytes).getElementsByTagNameNS(WORD, "body")[0];
  if (body === undefined) throw new Error("no document");
  const hidden = hiddenStyles(await member(file, "word/styles.xml", MOST));
  const parts: string[] = [];
  const enter = (node: Node): boolean => {
    if (!(node instanceof Element)) return false;
    const name = node.localName;
    if (LEFT_OUT.has(name) || (name === "r" && isHidden(node, hidden))) return false;
    if (name === "t") parts.push(node.textContent ?? "");
    else if (node.parentElement?.localName === "r") parts.push(CHARACTERS.get(name) ?? "");
    return true;
  };
  const leave = (node: Node): void => {
    if ((node as Element).localName === "p") parts.push("\n");
  };
  walk(body, enter, leave);
  return parts.join("").replace(/\n$/, "");
}

function parsed(bytes: Uint8Array): Document {
  const source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  // Documents of Word declare no entities; those of others could grow without end.
  if (source.includes("<!DOCTYPE")) throw new Error("a document type");
  const xml = new DOMParser().parseFromString(source, "application/xml");
  if (xml.getElementsByTagName("parsererror").length > 0) throw new Error("damaged");
  return xml;
}

/** An element of an element's properties, such as a paragraph's style. */
function property(element: Element | null, properties: string, name: string): Element | undefined {
  const named = (parent: Element | null | undefined, wanted: string): Element | undefined =>
    [...(parent?.children ?? [])].find((child) => child.localName === wanted);
  return named(named(element, properties), name);
}

function valueOf(element: Element | undefined): string {
  return element?.getAttributeNS(WORD, "val") ?? "";
}

/** Whether its letters are hidden; undefined where it does not say. */
function vanishes(element: Element): boolean | undefined {
  const vanish = property(element, "rPr", "vanish");
  return vanish && !["0", "false", "off"].includes(valueOf(vanish));
}

/** Whether a run is set in hidden letters, itself or by the style of it or of its paragraph. */
function isHidden(run: Element, styles: ReadonlySet<string>): boolean {
  const used = [property(run, "rPr", "rStyle"), property(run.closest("p"), "pPr", "pStyle")];
  return vanishes(run) ?? used.some((style) => styles.has(valueOf(style)));
}

/** Names of the styles whose letters are hidden. */
function hiddenStyles(bytes: Uint8Array | null): ReadonlySet<string> {
  const styles = bytes ? [...parsed(bytes).getElementsByTagNameNS(WORD, "style")] : [];
  const hidden = new Set<string>();
  for (let n = 0; n <= DEEP; n++) {
    for (const style of styles) {
      const base = [...style.children].find((child) => child.localName === "basedOn");
      if (vanishes(style) ?? hidden.has(valueOf(base))) hidden.add(style.getAttributeNS(WORD, "styleId") ?? "");
    }
  }
  return hidden;
}
