/** The text of a file that a visitor chose, or the one sentence that says why it cannot be read. */

import { filled } from "../filled";
import type { Words } from "../words";
import { textOfDocx } from "./docx";
import { textOfHtml } from "./html";
import { readsPdf, textOfPdf } from "./pdf";

const MEGABYTES = 16;
/** Of a file: a long book has two. */

type Kind = "text" | "html" | "docx" | "pdf";

const KINDS = new Map<string, Kind>([
  ["txt", "text"],
  ["text", "text"],
  ["log", "text"],
  ["md", "text"],
  ["markdown", "text"],
  ["html", "html"],
  ["htm", "html"],
  ["xhtml", "html"],
  ["docx", "docx"],
  ["docm", "docx"],
  ["pdf", "pdf"],
]);

/** Why a file cannot be read, by the name of the sentence in the page's words. */
export class Unreadable extends Error {
  constructor(
    readonly problem: keyof Words["problems"],
    readonly values: Record<string, string | number> = {},
  ) {
    super(problem);
  }

  sentence(words: Words): string {
    return filled(words.problems[this.problem], this.values);
  }
}

/** The text that `stela detect` would test of this file.
 *
 * @throws Unreadable
 */
export async function textOf(file: File): Promise<string> {
  const name = file.name.slice(-80);
  const ending = /\.([^.]*)$/.exec(file.name.toLowerCase())?.[1] ?? "";
  const kind = KINDS.get(ending);
  if (kind === undefined) throw new Unreadable("kind", { name });
  if (kind === "pdf" && !readsPdf()) throw new Unreadable("pdf");
  if (file.size > MEGABYTES * 1e6) throw new Unreadable("large", { name, n: MEGABYTES });
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (kind === "pdf") {
    const read = await textOfPdf(bytes);
    if (read.pdf === "text") return read.text;
    throw new Unreadable(read.pdf === "letters" ? "pdfLetters" : "pdfDamaged", { name });
  }
  if (kind === "docx") {
    return textOfDocx(bytes).catch(() => {
      throw new Unreadable("docx", { name });
    });
  }
  let text: string;
  try {
    // Windows writes UTF-16 with the mark of its byte order.
    const begin = `${bytes[0]},${bytes[1]}`;
    const encoding = begin === "255,254" ? "utf-16le" : begin === "254,255" ? "utf-16be" : "utf-8";
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable("utf8", { name });
  }
  if (text.includes("\0")) throw new Unreadable("utf8", { name });
  return kind === "html" ? textOfHtml(text) : text;
}
