/** Seeds of hash contexts: keyed BLAKE2b (RFC 7693), as docs/hashing.md defines them. */
import { blake2b } from "@noble/hashes/blake2.js";
import { Blake2b, MOST } from "./blake2b";
import type { Words } from "./words";

const PERSON = "stela/hash/1";
const PADDED = new Uint8Array(16);
new TextEncoder().encodeInto(PERSON, PADDED);

/** The seed of one hash context of token ids, oldest first. */
export function seedOf(key: Words, context: readonly number[]): Words {
  const data = littleEndian(context);
  const digest = blake2b(data, { dkLen: 8, key: littleEndian([key.low, key.high]), personalization: PADDED });
  const view = new DataView(digest.buffer, digest.byteOffset);
  return { low: view.getUint32(0, true), high: view.getUint32(4, true) };
}

/** The same of many contexts. */
export function seedsUnder(key: Words): (context: readonly number[]) => Words {
  const hash = new Blake2b(key, PERSON);
  // Without a message, the block of the key is the last; a long one takes several.
  return (context) => (context.length > 0 && context.length <= MOST ? hash.of(context) : seedOf(key, context));
}

function littleEndian(words: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, n) => view.setUint32(4 * n, word, true));
  return new Uint8Array(view.buffer);
}
