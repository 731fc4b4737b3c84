/** What the page and its worker tell each other. */

import type { Marked, ProfileSummary } from "../detector/types";
import type { Signature } from "../signing/profile-signature";
import type { Sent } from "./tokens";

/** A profile as it lies in the page: its large parts packed (gzip in base 85). */
export interface Packed extends Marked {
  name: string;
  sha256: string;
  /** Text of profile.json, to the byte: a signature is over it. */
  content: string;
  /** Text of the signature, or null. */
  statement: string | null;
  tokenizer: string;
  /** Whether whoever made the page knows the tokenizer: it was there before the profile. */
  tokenizer_known?: boolean | undefined;
  table: string | null;
  tagger?: string;
  /** Name and licence of the tagger. */
  tagger_terms?: { name: string; license: string };
}

/** To the worker. Profiles come first and once. */
export type Order =
  | { kind: "open"; profiles: Packed[] }
  | { kind: "warm"; index: number; text: string }
  | { kind: "detect"; id: number; text: string; wanted: readonly number[] };

/** From the worker. */
export type Message =
  | { kind: "opened"; index: number; profile: ProfileSummary; signature: Signature }
  | { kind: "failed"; index: number; problem: string }
  | { kind: "progress"; id: number; done: number; all: number }
  | { kind: "answer"; id: number; detections: (Sent | null)[] }
  | { kind: "stopped"; id: number; problem: string };
