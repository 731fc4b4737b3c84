/** The worker as the page sees it: one text at a time, and an end to it when the visitor wants one. */

import type { ProfileSummary } from "../detector/types";
import type { Signature } from "../signing/profile-signature";
import type { Message, Order, Packed } from "./messages";
import { sampleIn } from "./sample";
import { type Seen, seenOf } from "./tokens";

export type Opened = { profile: ProfileSummary; signature: Signature } | { problem: string };

export class Cancelled extends Error {}

interface Waiting {
  id: number;
  resolve: (detections: (Seen | null)[]) => void;
  reject: (error: Error) => void;
  progress: (done: number, all: number) => void;
}

/** Runs the detector in a worker made of the page's own script; nothing is fetched. */
export class Work {
  #worker: Worker | null = null;
  #waiting: Waiting | null = null;
  #last = 0;

  /**
   * @param source the program to make the worker of.
   * @param profiles what it looks for.
   * @param opened is told of each profile, once it is ready or has failed.
   */
  constructor(
    private readonly source: string,
    private readonly profiles: Packed[],
    private readonly opened: (index: number, opened: Opened) => void,
  ) {
    this.#start();
  }

  /** The detection of each profile by its index, null where it is not wanted or could not be opened.
   *
   * @throws Cancelled where `cancel` was called, Error where the worker stopped.
   */
  detect(text: string, wanted: readonly number[], progress: Waiting["progress"]): Promise<(Seen | null)[]> {
    this.cancel();
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting = { id, resolve, reject, progress };
      this.#start().postMessage({ kind: "detect", id, text, wanted } satisfies Order);
    });
  }

  /** Stops what is being done; the worker is ended, as nothing else stops a long sum. */
  cancel(): void {
    if (this.#waiting !== null) this.#end(new Cancelled("cancelled"));
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    const address = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.addEventListener("message", (event: MessageEvent<Message>) => this.#hear(event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#end(new Error(event.message || "worker"));
    });
    worker.postMessage({ kind: "open", profiles: this.profiles } satisfies Order);
    this.#worker = worker;
    return worker;
  }

  #hear(message: Message): void {
    if (message.kind === "opened") {
      this.opened(message.index, message);
      const text = sampleIn(message.profile.language);
      this.#worker?.postMessage({ kind: "warm", index: message.index, text } satisfies Order);
    }
    else if (message.kind === "failed") this.opened(message.index, { problem: message.problem });
    else if (this.#waiting?.id !== message.id) return;
    else if (message.kind === "progress") this.#waiting.progress(message.done, message.all);
    else {
      const waiting = this.#waiting;
      this.#waiting = null;
      if (message.kind === "answer") waiting.resolve(message.detections.map((one) => one && seenOf(one)));
      else waiting.reject(new Error(message.problem));
    }
  }

  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
