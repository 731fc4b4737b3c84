/** The script that a service adds to its page: it alone can send anything, and to that service alone. */

import type { Detection, Passage } from "../detector/types";
import { type Answer, detectionOf } from "./answered";
import { type Service, ServiceProblem } from "./asking";

const SHORTEST = 64;
/** Tokens of a text that has passages, as in worker.ts. */

window.stelaService = { host: location.host, detect } satisfies Service;

async function detect(profile: string, text: string, tokens: boolean, signal: AbortSignal): Promise<Detection> {
  const whole = await ask({ text, profile, tokens }, signal);
  let passages: readonly Passage[] = [];
  if (whole.scored_tokens >= SHORTEST) {
    const windowed = await ask({ text, profile, windows: true }, signal);
    passages = windowed.passages ?? [];
    if (passages.length && windowed.message) whole.message ??= windowed.message;
  }
  return detectionOf(text, whole, passages);
}

async function ask(fields: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
  const headers = { "Content-Type": "application/json" };
  let response: Response;
  let told: { results: [Answer]; error: string; hint: string };
  try {
    response = await fetch("v1/detect", { method: "POST", headers, body: JSON.stringify(fields), signal });
    told = await response.json();
  } catch {
    throw new ServiceProblem("unreachable");
  }
  if (response.ok) return told.results[0];
  if (response.status === 429 || response.status === 503) {
    throw new ServiceProblem("busy", Number(response.headers.get("Retry-After")) || 10);
  }
  throw new ServiceProblem("refused", `${told.error} ${told.hint}`);
}
