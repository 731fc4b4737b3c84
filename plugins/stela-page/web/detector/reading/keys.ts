/** The keys of a profile: the name of each is worked out, never believed (stela_core/profile/key_set.py). */
import { blake2b } from "@noble/hashes/blake2.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { InvalidProfile, UnsupportedProfile } from "../types";

/** What a profile says of one of its keys. */
export interface KeyPart {
  readonly key_id: string | null;
  readonly key: string | null;
  readonly salt: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly published: string | null;
}

/** A key that texts are tested for. */
export interface Key {
  readonly id: string;
  readonly hex: string;
  /** The day on which a secret key was published, as YYYY-MM-DD. */
  readonly published: string | undefined;
}

const DIGITS = 16;
/** Of a word of 64 bits. */

/** The keys that texts are tested for, the youngest first, and how many more there are.
 *
 * As in Python: a key that is secret, or has another length or name, is not tested for. If it is the current one, the
 * profile is refused, but for a set with epochs or with keys that were published, of which those at hand will do.
 *
 * @param parts the current key, then earlier ones.
 * @param words 64-bit words of a key.
 */
export function knownKeys(parts: readonly KeyPart[], words: number): { keys: Key[]; others: number } {
  const othersDo = parts.some(({ since, until, published }) => since ?? until ?? published);
  const keys: Key[] = [];
  let first: UnsupportedProfile | null = null;
  for (const part of parts) {
    const problem = keyProblem(part, words);
    if (problem === null) keys.push({ id: part.key_id ?? "", hex: part.key!, published: part.published ?? undefined });
    else if (part === parts[0] && !othersDo) throw problem;
    else first ??= problem;
  }
  if (first !== null && !keys.length) throw first;
  return { keys, others: parts.length - keys.length };
}

function keyProblem({ key, key_id, salt }: KeyPart, words: number): UnsupportedProfile | null {
  if (key === null) return new UnsupportedProfile("the profile's key is secret: a service that has it can test texts (stela serve)");
  if (key.length !== DIGITS * words) return new InvalidProfile(`the key is not ${DIGITS * words} hex digits`);
  if (key_id === null) return null;
  const own = keyId(key, salt);
  return own === key_id ? null : new InvalidProfile(`wrong key: its id is ${own}, the profile's is ${key_id}`);
}

/** The name of a key of hex digits: fast, or of one that was secret slow and salted (stela_core/hashing). */
export function keyId(hex: string, salt: string | null): string {
  const bytes = hexToBytes(hex).reverse();
  if (salt === null) return bytesToHex(blake2b(bytes, { dkLen: 4, personalization: person("stela/key-id/1") }));
  return bytesToHex(scrypt(bytes, concatBytes(utf8ToBytes("stela/key-id/2"), hexToBytes(salt)), { N: 1 << 15, r: 8, p: 1, dkLen: 4 }));
}

function person(name: string): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.set(utf8ToBytes(name));
  return bytes;
}
