/** MT19937 (Matsumoto and Nishimura, ACM TOMACS 1998), seeded by Knuth's rule, as PyTorch's CPU generator is. */

const SIZE = 624;
const SHIFT = 397;

/** The first `count` outputs, of 32 bits, of the generator seeded with the low 32 bits of a whole number. */
export function mt19937(seed: number, count: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed % 4294967296;
  for (let n = 1; n < SIZE; n++) {
    const before = state[n - 1]!;
    state[n] = Math.imul(before ^ (before >>> 30), 1812433253) + n;
  }
  const out = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const n = at % SIZE;
    if (n === 0) twist(state);
    let y = state[n]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    out[at] = y ^ (y >>> 18);
  }
  return out;
}

function twist(state: Uint32Array): void {
  for (let n = 0; n < SIZE; n++) {
    const y = (state[n]! & 0x80000000) | (state[(n + 1) % SIZE]! & 0x7fffffff);
    state[n] = state[(n + SHIFT) % SIZE]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
}
