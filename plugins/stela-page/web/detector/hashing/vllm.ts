/** vLLM's hash (from 0.30): contexts to states, states and tokens to 24 bits (stela_gumbel/vllm_hash.py). */
import { sha256 } from "@noble/hashes/sha2.js";
import { type Four, philox } from "./philox";
import type { Words } from "./words";

/** Bits of a token's number. */
export const VLLM_BITS = 24;

/** The state of a hash context; -1 stands for ids in front of a text. */
export function vllmState(key: Words, context: readonly number[]): Four {
  let state: Four = [0x574d4358, context.length, 0, 0];
  for (let offset = 0; offset < context.length; offset += 4) {
    const block = [0, 1, 2, 3].map((i) => {
      const id = context[offset + i];
      return id === undefined ? 0xffffffff - i : id >>> 0;
    });
    const mixed = state.map((word, i) => (word ^ block[i]!) >>> 0) as unknown as Four;
    state = philox(mixed, (key.low ^ offset) >>> 0, key.high);
  }
  return state;
}

/** The number of a token after a context of this state, below 2**24. */
export function vllmNumber(key: Words, state: Four, token: number): number {
  const counter: Four = [token >>> 2, state[0], state[1], state[2]];
  const out = philox(counter, (key.low ^ state[3]) >>> 0, (key.high ^ 0x574d544b) >>> 0);
  return out[token & 3]! >>> 8;
}

/** Keys A and B of a dual key: 64 bits of SHA-256 each. */
export function derivedKeys(key: Words): [Words, Words] {
  const content = new DataView(new ArrayBuffer(13));
  const derived = [..."ab"].map((letter) => {
    [..."key_", letter].forEach((character, n) => content.setUint8(n, character.charCodeAt(0)));
    content.setUint32(5, key.high);
    content.setUint32(9, key.low);
    const digest = sha256(new Uint8Array(content.buffer));
    const view = new DataView(digest.buffer, digest.byteOffset);
    return { high: view.getUint32(0), low: view.getUint32(4) };
  });
  return [derived[0]!, derived[1]!];
}
