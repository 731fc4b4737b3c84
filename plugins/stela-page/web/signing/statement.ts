/** Signed statements of stela-sign, checked as `stela_sign/statement.py` checks them (docs/signing.md). */

import { ed25519 } from "@noble/curves/ed25519.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical } from "./canonical";

const FORMAT = "stela-signature/1";
const FIELDS = "format,key,kind,says,signature";
const KEY = /^ed25519:([A-Za-z0-9_-]{43})$/;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

const LONGEST = 1 << 20;
/** Characters of a statement. */

/** One whose signature holds. */
export interface Statement {
  says: Record<string, unknown>;
  /** The signer's public key, as a word. */
  key: string;
}

/** The statement in the JSON text of a stranger, or null where it is none of this kind or its signature does not hold.
 *
 * Whose key it is, nobody can tell from it.
 */
export function statementOf(text: string, kind: string): Statement | null {
  try {
    return checked(text, kind);
  } catch {
    return null; // no JSON, or values that have no canonical form: nobody can have signed it
  }
}

function checked(text: string, kind: string): Statement | null {
  if (text.length > LONGEST) return null;
  const { format, signature, ...body } = objectOf(JSON.parse(text));
  const { key, says } = body;
  if (Object.keys({ format, signature, ...body }).sort().join() !== FIELDS) return null;
  if (format !== FORMAT || body["kind"] !== kind || typeof key !== "string" || typeof signature !== "string") return null;
  const raw = keyOf(key);
  if (raw === null || !SIGNATURE.test(signature)) return null;
  const message = utf8ToBytes(`${FORMAT}\n${canonical(body)}`);
  // RFC 8032's own rules, as OpenSSL has them; zip215 would take keys and points that are spelled in other ways.
  const holds = ed25519.verify(bytesOf(signature), message, raw, { zip215: false });
  return holds ? { says: objectOf(says), key } : null;
}

/** The 32 bytes that a key's word spells, or null; one spelling a key, as words are compared. */
function keyOf(word: string): Uint8Array | null {
  const letters = KEY.exec(word)?.[1];
  if (letters === undefined) return null;
  const plain = letters.replaceAll("-", "+").replaceAll("_", "/");
  const raw = bytesOf(`${plain}=`);
  return btoa(String.fromCharCode(...raw)) === `${plain}=` ? raw : null;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("no object");
  return value as Record<string, unknown>;
}
