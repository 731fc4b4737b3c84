/** The text of a .docx document's body, as `stela detect` reads it (stela_core/documents/extract_docx.py). */

import { walk } from "./walk";
import { member } from "./zip";

const MOST = 1 << 26;
/** Bytes of the body, unpacked. */

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const LEFT_OUT = new Set(["del", "moveFrom", "Fallback", "instrText", "delText"]);
/** Deleted text of tracked changes, and the second copy of text boxes. */
const CHARACTERS = new Map([["tab", "\t"], ["br", "\n"], ["cr", "\n"], ["noBreakHyphen", "-"]]);
/** A map: names are a stranger's, and objects have more of them than they show. */

/** Paragraphs in their order, one on each line; tracked changes are taken as accepted.
 *
 * @throws Error where it is no .docx document.
 */
export async function textOfDocx(file: Uint8Array): Promise<string> {
  const bytes = await member(file, "word/document.xml", MOST);
  if (bytes === null) throw new Error("no document");
  const source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  // Documents of Word declare no entities; those of others could grow without end.
  if (source.includes("<!DOCTYPE")) throw new Error("a document type");
  const xml = new DOMParser().parseFromString(source, "application/xml");
  const body = xml.getElementsByTagNameNS(WORD, "body")[0];
  if (xml.getElementsByTagName("parsererror").length > 0 || body === undefined) throw new Error("no document");
  const parts: string[] = [];
  const enter = (node: Node): boolean => {
    if (!(node instanceof Element)) return false;
    const name = node.localName;
    if (LEFT_OUT.has(name) || (name === "r" && isHidden(node))) return false;
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

function isHidden(run: Element): boolean {
  const properties = [...run.children].find((child) => child.localName === "rPr");
  const vanish = [...(properties?.children ?? [])].find((child) => child.localName === "vanish");
  return vanish !== undefined && !["0", "false", "off"].includes(vanish.getAttributeNS(WORD, "val") ?? "");
}
