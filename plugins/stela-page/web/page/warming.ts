/**
 * A first text makes a browser compile the detector, which takes as long as the text itself: words of the page's own are
 * tested while nobody waits, piece by piece, and no more once a visitor's text comes.
 */

import type { Detector } from "../detector/types";

const PIECE = 400;
const MOST = 1_000;
/** Milliseconds that the page takes for it in all. */

/** Tests texts that nobody asks about. */
export class Warming {
  #left = MOST;

  /** No more of it. */
  stop(): void {
    this.#left = 0;
  }

  /** Test a text's pieces; what is found in them is of no interest. */
  async warm(detector: Detector, text: string, shortest: number): Promise<void> {
    for (let at = 0; at < text.length && this.#left > 0; at += PIECE) {
      const begun = performance.now();
      detector.detectWithPassages(text.slice(at, at + PIECE), shortest);
      this.#left -= performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve)); // what has come meanwhile is heard first
    }
  }
}
