/** What the page and its worker tell each other. */

import type { Detection, ProfileSummary } from "../detector/types";

/** A profile as it lies in the page: its large parts packed (base64 of gzip). */
export interface Packed {
  name: string;
  sha256: string;
  profile: unknown;
  tokenizer: string;
  table: string | null;
}

/** To the worker. Profiles come first and once. */
export type Order = { kind: "open"; profiles: Packed[] } | { kind: "detect"; id: number; text: string };

/** From the worker. */
export type Message =
  | { kind: "opened"; index: number; profile: ProfileSummary }
  | { kind: "failed"; index: number; problem: string }
  | { kind: "progress"; id: number; done: number; all: number }
  | { kind: "answer"; id: number; detections: (Detection | null)[] }
  | { kind: "stopped"; id: number; problem: string };
