/** The text that a reader of an HTML page sees, as `stela detect` reads it (stela_documents/extract_html.py).
 *
 * The page is parsed without being shown: its scripts do not run and nothing that it names is loaded.
 */

import { walk } from "./walk";

const UNSEEN = new Set(
  (
    "head script style template noscript title iframe canvas audio video svg select datalist noframes noembed progress meter " +
    "rt rp rtc annotation annotation-xml mphantom mjx-assistive-mml"
  ).split(" "),
);
/** Elements whose content is not shown, or not as text; glosses stand above the text. */
const UNSEEN_CLASSES = "katex-mathml sr-only visually-hidden screen-reader-text".split(" ");
/** What the style sheets in common use take out of sight. */
const PARAGRAPHS = new Set("p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table figure hr".split(" "));
/** Set off by an empty line. */
const BLOCKS = new Set(
  (
    "address article aside body caption center dd details dialog dir div dt fieldset figcaption footer form header hgroup html " +
    "legend li main menu nav search section summary tbody tfoot thead tr"
  ).split(" "),
);
/** On lines of their own. */
const HIDDEN =
  /(?<![\w-])(display\s*:\s*none|(content-)?visibility\s*:\s*(hidden|collapse)|(opacity|font-size)\s*:\s*0(\.0*)?(?![.\d]))/i;
const XML = /^\s*<\?xml\s|<html[^>]*\sxmlns\b/i;

/** Visible text: white space as a browser shows it, paragraphs set off by empty lines. */
export function textOfHtml(source: string): string {
  const parser = new DOMParser();
  let page = parser.parseFromString(source, "text/html");
  // In XHTML a slash closes an element. What is none after all, or declares entities, which could grow, is read as HTML.
  if (XML.test(source) && !/<!ENTITY/i.test(source)) {
    const xml = parser.parseFromString(source, "application/xhtml+xml");
    if (!xml.getElementsByTagName("parsererror").length) page = xml;
  }
  const seen = new Seen();
  const enter = (node: Node): boolean => {
    if (node instanceof Text) seen.data(node.data);
    return node instanceof Element && seen.begin(node);
  };
  walk(page.documentElement, enter, (node) => seen.end(node as Element));
  return seen.text();
}

function isUnseen(element: Element, name: string): boolean {
  const has = (attribute: string): boolean => element.hasAttribute(attribute);
  const style = (element.getAttribute("style") ?? "").slice(0, 2000);
  if (has("hidden") || HIDDEN.test(style) || UNSEEN_CLASSES.some((one) => element.classList.contains(one))) return true;
  return name === "dialog" ? !has("open") : name === "object" ? has("data") : UNSEEN.has(name);
}

class Seen {
  #parts: string[] = [];
  #breaks = 0;
  /** Line feeds due before the next text. */
  #space = false;
  #kept = 0;

  /** Whether what is in the element is seen. */
  begin(element: Element): boolean {
    const name = element.localName;
    if (name === "br") {
      this.#breaks = Math.min(this.#breaks + 1, 2);
      return false;
    }
    if (name !== "head") this.#block(name);
    if (isUnseen(element, name)) return false;
    if (name === "pre" || name === "textarea") this.#kept += 1;
    return true;
  }

  end(element: Element): void {
    if (element.localName === "pre" || element.localName === "textarea") this.#kept -= 1;
    this.#block(element.localName);
  }

  data(given: string): void {
    // A soft hyphen is a place where a word may be broken.
    let data = given.replaceAll("\u00ad", "");
    if (this.#kept > 0) {
      if (data !== "") this.#put(data);
      return;
    }
    data = data.replace(/[ \t\n\r\f]+/g, " ").replaceAll("\u00a0", " ");
    if (data.startsWith(" ")) this.#space = true;
    const inner = data.replace(/^ +| +$/g, "");
    if (inner !== "") {
      this.#put(inner);
      this.#space = data.endsWith(" ");
    }
  }

  text(): string {
    return this.#parts.join("");
  }

  #put(text: string): void {
    if (this.#parts.length > 0) this.#parts.push("\n".repeat(this.#breaks) || (this.#space ? " " : ""));
    this.#parts.push(text);
    this.#breaks = 0;
    this.#space = false;
  }

  #block(name: string): void {
    if (PARAGRAPHS.has(name)) this.#breaks = Math.max(this.#breaks, 2);
    else if (BLOCKS.has(name)) this.#breaks = Math.max(this.#breaks, 1);
    else if (name === "td" || name === "th") this.#space = true;
  }
}
