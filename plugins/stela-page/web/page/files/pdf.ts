/** The text of a PDF, read in a worker whose program lies packed in the page: where `stela page --pdf` made it. */

import type { Read } from "../pdf/program";
import { unpacked } from "../unpacked";

const SECONDS = 60;
/** A PDF that takes longer is not read. */

/** Whether the page holds the program. */
export function readsPdf(): boolean {
  return document.getElementById("pdf") !== null;
}

/** What a worker that is made for this file, and ended with it, reads. */
export async function textOfPdf(bytes: Uint8Array): Promise<Read> {
  const program = await unpacked(document.getElementById("pdf")?.textContent ?? "");
  const address = URL.createObjectURL(new Blob([program as BlobPart], { type: "text/javascript" }));
  const worker = new Worker(address);
  try {
    return await new Promise<Read>((resolve) => {
      const damaged = (): void => resolve({ pdf: "damaged" });
      setTimeout(damaged, SECONDS * 1000);
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        damaged();
      });
      worker.addEventListener("message", ({ data }: MessageEvent<Partial<Read>>) => {
        if (data.pdf !== undefined) resolve(data as Read);
      });
      worker.postMessage({ bytes });
    });
  } finally {
    worker.terminate();
    URL.revokeObjectURL(address);
  }
}
