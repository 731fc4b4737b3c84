/** The detector, off the page's own thread. */

import { openProfile } from "../detector/index";
import { parsedProfile } from "../detector/reading/json";
import type { Detector } from "../detector/types";
import { signatureOf } from "../signing/profile-signature";
import type { Message, Order, Packed } from "./messages";
import { handedOver, type Sent, sentOf } from "./tokens";
import { unpacked } from "./unpacked";
import { Warming } from "./warming";

const SHORTEST = 64;
/** Tokens of a text that has passages: shorter ones than half of it are not looked for. */

const warming = new Warming();

let detectors: Promise<(Detector | null)[]> = Promise.resolve([]);

const tell = (message: Message, handed: Transferable[] = []): void => postMessage(message, { transfer: handed });

/** Do what the page asks for. */
export function listen(): void {
  self.addEventListener("message", (event: MessageEvent<Order>) => {
    const order = event.data;
    if (order.kind === "open") {
      detectors = openAll(order.profiles);
    } else if (order.kind === "warm") {
      void warm(order.index, order.text);
    } else {
      warming.stop();
      detect(order.id, order.text, order.wanted).catch((error: unknown) => {
        tell({ kind: "stopped", id: order.id, problem: sentence(error) });
      });
    }
  });
}

async function openAll(profiles: Packed[]): Promise<(Detector | null)[]> {
  const opened: (Detector | null)[] = [];
  const part = once(partOf);
  const bytes = once((packed) => unpacked(packed));
  for (const [index, one] of profiles.entries()) {
    try {
      const [tokenizer, table] = [await part(one.tokenizer), one.table === null ? null : await part(one.table)];
      const tagger = one.tagger === undefined ? null : await bytes(one.tagger);
      const files = { profile: parsedProfile(one.content), tokenizer: tokenizer.value, table: table?.value ?? null, tagger };
      const detector = await openProfile({ ...one, ...files });
      const signature = signatureOf({ ...one, tokenizer: tokenizer.bytes, table: table?.bytes ?? null });
      opened.push(detector);
      tell({ kind: "opened", index, profile: detector.profile, signature });
    } catch (error) {
      opened.push(null);
      tell({ kind: "failed", index, problem: sentence(error) });
    }
  }
  return opened;
}

/** One after the other, once all are open. */
let warmed: Promise<void> = Promise.resolve();

function warm(index: number, text: string): Promise<void> {
  const before = warmed;
  warmed = (async () => {
    await before;
    const detector = (await detectors)[index] ?? null;
    if (detector !== null) await warming.warm(detector, text, SHORTEST);
  })().catch(() => undefined);
  return warmed;
}

/** What several profiles share is unpacked and made something of once. */
function once<T>(make: (packed: string) => Promise<T>): (packed: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (packed) => {
    const before = made.get(packed) ?? make(packed);
    made.set(packed, before);
    return before;
  };
}

/** A file: its bytes, which signatures are over, and what it says. */
interface Part {
  bytes: Uint8Array;
  value: unknown;
}

async function partOf(packed: string): Promise<Part> {
  const bytes = await unpacked(packed);
  return { bytes, value: JSON.parse(new TextDecoder().decode(bytes)) };
}

async function detect(id: number, text: string, wanted: readonly number[]): Promise<void> {
  const all = await detectors;
  const detections: (Sent | null)[] = all.map(() => null);
  const marks = wanted.filter((index) => all[index]).length;
  for (const [done, index] of wanted.entries()) {
    tell({ kind: "progress", id, done, all: wanted.length });
    const detector = all[index] ?? null;
    if (detector !== null) detections[index] = sentOf(detector.detectWithPassages(text, SHORTEST, marks));
  }
  tell({ kind: "answer", id, detections }, detections.flatMap((one) => (one === null ? [] : handedOver(one))));
}

function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
