/** What a text's tokens say of the message in them (stela_core/interfaces/encoder.py). */
import type { ReadMessage } from "../types";

/** The message that fits best, and for each hex digit a bound on the probability of reading it wrongly. */
export interface Message {
  readonly digits: string;
  readonly bits: number;
  readonly errors: readonly number[];
  /** A bound on the probability of naming another message than the one in the text. */
  readonly error: number;
  /** Bound up to which a digit is sure. */
  readonly mostError: number;
  /** Whether it is withheld because parts of the text name different messages. */
  readonly mixed: boolean;
}

/** Whether all of it is read. */
export function isSure({ errors, mostError }: Message): boolean {
  return errors.every((error) => error <= mostError);
}

/** The same with no digit shown. */
export function withheld(message: Message): Message {
  return { ...message, errors: message.errors.map(() => 1), error: 1, mixed: true };
}

/** The same where it is the best of several readings or keys: bounds are times their number. */
export function corrected(message: Message, times: number): Message {
  const more = (error: number): number => Math.min(1, times * error);
  return { ...message, errors: message.errors.map(more), error: more(message.error) };
}

/** As `stela detect --json` says it: `?` for the digits that are not sure. */
export function readOf({ digits, bits, errors, error, mostError, mixed }: Message): ReadMessage {
  const hex = [...digits].map((digit, n) => (errors[n]! <= mostError ? digit : "?")).join("");
  return { hex, bits, sure: !hex.includes("?"), error, errors: [...errors], most_error: mostError, ...(mixed && { mixed }) };
}
