/** The keyed permutation of all messages (stela_payload/permutation.py, which has the definition). */
import { Blake2b } from "../hashing/blake2b";
import { mix } from "../hashing/mix";
import type { Words } from "../hashing/words";

const ROUNDS = 8;
const PERSON = "stela/message/1";

/** The message that a code stands for under a mark's key. */
export function messageOf(code: bigint, bits: number, key: Words): bigint {
  const hash = new Blake2b(key, PERSON);
  const lowBits = Math.ceil(bits / 2);
  const lowMask = 2 ** lowBits - 1;
  const highMask = 2 ** Math.floor(bits / 2) - 1;
  let low = Number(code & BigInt(lowMask));
  let high = Number(code >> BigInt(lowBits));
  for (let round = ROUNDS - 1; round >= 0; round--) {
    const own = hash.of([round]);
    if (round % 2) high = (high ^ (mix(own, low) & highMask)) >>> 0;
    else low = (low ^ (mix(own, high) & lowMask)) >>> 0;
  }
  return (BigInt(high) << BigInt(lowBits)) | BigInt(low);
}
