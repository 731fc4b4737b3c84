/** 64-bit numbers as two words of 32 bits each, low one first. */

/** A 64-bit number. */
export interface Words {
  readonly low: number;
  readonly high: number;
}

/** The 64-bit words of a key of 16 hex digits each, the first one on top. */
export function keyWords(hex: string): Words[] {
  return (hex.match(/.{16}/g) ?? []).map((word) => ({
    high: parseInt(word.slice(0, 8), 16),
    low: parseInt(word.slice(8), 16),
  }));
}

/** The upper 32 bits of the product of two 32-bit words. */
export function upperProduct(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16); // below 2**48
  const other = a0 * b1 + (middle % 0x10000);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000)) >>> 0;
}
