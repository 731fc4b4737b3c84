/** The detector, off the page's own thread. */

import { openProfile } from "../detector/index";
import type { Detection, Detector } from "../detector/types";
import type { Message, Order, Packed } from "./messages";
import { unpacked } from "./unpacked";

const SHORTEST = 64;
/** Tokens of a text that has passages: shorter ones than half of it are not looked for. */

let detectors: Promise<(Detector | null)[]> = Promise.resolve([]);

const tell = (message: Message): void => postMessage(message);

self.addEventListener("message", (event: MessageEvent<Order>) => {
  const order = event.data;
  if (order.kind === "open") {
    detectors = openAll(order.profiles);
  } else {
    detect(order.id, order.text).catch((error: unknown) => {
      tell({ kind: "stopped", id: order.id, problem: sentence(error) });
    });
  }
});

async function openAll(profiles: Packed[]): Promise<(Detector | null)[]> {
  const opened: (Detector | null)[] = [];
  const parsed = new Map<string, Promise<unknown>>();
  /** What several profiles share is unpacked and parsed once. */
  const parse = (packed: string): Promise<unknown> => {
    const before = parsed.get(packed) ?? unpacked(packed).then((text) => JSON.parse(text) as unknown);
    parsed.set(packed, before);
    return before;
  };
  for (const [index, one] of profiles.entries()) {
    try {
      const [tokenizer, table] = [await parse(one.tokenizer), one.table === null ? null : await parse(one.table)];
      const detector = await openProfile({ ...one, tokenizer, table });
      opened.push(detector);
      tell({ kind: "opened", index, profile: detector.profile });
    } catch (error) {
      opened.push(null);
      tell({ kind: "failed", index, problem: sentence(error) });
    }
  }
  return opened;
}

async function detect(id: number, text: string): Promise<void> {
  const all = await detectors;
  const detections: (Detection | null)[] = [];
  for (const [done, detector] of all.entries()) {
    tell({ kind: "progress", id, done, all: all.length });
    detections.push(detector === null ? null : detected(detector, text));
  }
  tell({ kind: "answer", id, detections });
}

/** The verdict on the whole text, and its passages: with them asked for, a verdict would rest on the best one. */
function detected(detector: Detector, text: string): Detection {
  const whole = detector.detect(text);
  if (whole.scored_tokens < SHORTEST) return whole;
  return { ...whole, passages: detector.detect(text, { passages: true }).passages };
}

function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
