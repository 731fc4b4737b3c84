/** Looks for marks, each where it can be looked for: in the page's worker, or at the service. */

import type { Service } from "./asking";
import { isHere, type Mark } from "./data";
import type { Packed } from "./messages";
import type { Seen } from "./tokens";
import { Cancelled, type Opened, Work } from "./work";

type Progress = (done: number, all: number) => void;

export class Looking {
  #work: Work | null = null;
  #asking: AbortController | null = null;
  /** Of the marks that lie in the page, in the worker's order, the index of each. */
  readonly #here: number[];

  /**
   * @param source the program to make the worker of.
   * @param service null where there is none: then all marks lie in the page.
   * @param opened is told of each mark, once it is ready or has failed.
   */
  constructor(
    source: string,
    private readonly marks: readonly Mark[],
    private readonly service: Service | null,
    opened: (index: number, opened: Opened) => void,
  ) {
    this.#here = [...marks.keys()].filter((index) => isHere(marks[index] as Mark));
    const packed = this.#here.map((index) => marks[index] as Packed);
    if (packed.length > 0) this.#work = new Work(source, packed, (n, one) => opened(this.#here[n] as number, one));
    for (const [index, mark] of marks.entries()) {
      if (!isHere(mark)) opened(index, { profile: mark, signature: mark.signature });
    }
  }

  /** The detection of each mark by its index: null where it is not wanted, or could not be opened.
   *
   * @throws Cancelled where `cancel` was called, ServiceProblem, Error where the worker stopped.
   */
  async detect(text: string, wanted: ReadonlySet<number>, progress: Progress): Promise<(Seen | null)[]> {
    this.cancel();
    const asking = new AbortController();
    this.#asking = asking;
    const detections: (Seen | null)[] = this.marks.map(() => null);
    const here = [...this.#here.keys()].filter((n) => wanted.has(this.#here[n] as number));
    if (this.#work !== null && here.length > 0) {
      const answers = await this.#work.detect(text, here, (done) => progress(done, wanted.size));
      for (const n of here) detections[this.#here[n] as number] = answers[n] ?? null;
    }
    let done = here.length;
    for (const [index, mark] of this.marks.entries()) {
      if (isHere(mark) || !wanted.has(index)) continue;
      if (this.service === null) throw new Error("there is no service");
      progress(done, wanted.size);
      try {
        detections[index] = await this.service.detect(mark.asked, text, mark.tokens, asking.signal);
      } catch (error) {
        throw asking.signal.aborted ? new Cancelled("cancelled") : error;
      }
      done += 1;
    }
    return detections;
  }

  /** Stops what is being done. */
  cancel(): void {
    this.#asking?.abort();
    this.#work?.cancel();
  }
}
