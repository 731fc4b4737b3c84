/** A worker that reads the text of one PDF with pdf.js: a program of its own, which `stela page --pdf` puts into a page.
 *
 * Both halves of pdf.js run in this worker, since a page's policy lets a worker start no other. It loads nothing: tables
 * of old encodings of Chinese, Japanese and Korean, which are megabytes, are not there, and a PDF that asks for one is
 * refused rather than read wrongly.
 */

import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
// @ts-expect-error: it has no types
import * as handler from "pdfjs-dist/legacy/build/pdf.worker.mjs";
import { joined } from "./joined";

/** What it answers; pdf.js says other things in its own name, which the page passes over. */
export type Read = { pdf: "text"; text: string } | { pdf: "letters" | "damaged" };

const PAGES = 3000;
const CHARACTERS = 1 << 24;

let asked = false;

/** Stands for the files that pdf.js would load. */
class NoFiles {
  async fetch({ kind }: { kind: string }): Promise<never> {
    asked ||= kind === "cMapUrl";
    throw new Error(kind);
  }
}

Object.assign(globalThis, { pdfjsWorker: handler });
self.addEventListener("message", ({ data }: MessageEvent<{ bytes?: Uint8Array }>) => {
  if (data.bytes === undefined) return;
  read(data.bytes).then(postMessage, () => postMessage({ pdf: "damaged" } satisfies Read));
});

async function read(data: Uint8Array): Promise<Read> {
  const options = { data, BinaryDataFactory: NoFiles, useWorkerFetch: false, disableFontFace: true, useWasm: false };
  const file = await getDocument({ ...options, isOffscreenCanvasSupported: false, verbosity: 0 }).promise;
  if (file.numPages > PAGES) return { pdf: "damaged" };
  const pages: string[] = [];
  let size = 0;
  for (let n = 1; n <= file.numPages; n += 1) {
    const { items } = await (await file.getPage(n)).getTextContent();
    const page = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    size += page.length;
    if (size > CHARACTERS) return { pdf: "damaged" };
    pages.push(page);
  }
  if (asked) return { pdf: "letters" };
  const text = joined(pages.join("\n"));
  return text === "" ? { pdf: "damaged" } : { pdf: "text", text };
}
