/** Seeds of hash contexts: keyed BLAKE2b (RFC 7693), as docs/hashing.md defines them. */
import { blake2b } from "@noble/hashes/blake2.js";
import type { Words } from "./words";

const PERSON = new Uint8Array(16);
new TextEncoder().encodeInto("stela/hash/1", PERSON);

/** The seed of one hash context of token ids, oldest first. */
export function seedOf(key: Words, context: readonly number[]): Words {
  const data = littleEndian(context);
  const digest = blake2b(data, { dkLen: 8, key: littleEndian([key.low, key.high]), personalization: PERSON });
  const view = new DataView(digest.buffer, digest.byteOffset);
  return { low: view.getUint32(0, true), high: view.getUint32(4, true) };
}

function littleEndian(words: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, n) => view.setUint32(4 * n, word, true));
  return new Uint8Array(view.buffer);
}
