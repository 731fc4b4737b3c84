/** Gzip in base 85 back to bytes: what is large lies in the page in this form (`stela_page/packing.py`). */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
const BASE = DIGITS.length;
const VALUES = new Int16Array(128).fill(-1);
for (const [value, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value;

/** The bytes that were packed.
 *
 * @throws Error where it is damaged.
 */
export async function unpacked(packed: string): Promise<Uint8Array> {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Each five digits are four bytes, the most significant first; n digits at the end are n - 1 bytes.
 *
 * @throws Error where a digit is none, or five are too much for four bytes.
 */
export function bytesOf(digits: string): Uint8Array<ArrayBuffer> {
  const groups = Math.ceil(digits.length / 5);
  const missing = groups * 5 - digits.length;
  const bytes = new DataView(new ArrayBuffer(groups * 4));
  for (let group = 0; group < groups; group += 1) {
    let number = 0;
    for (let at = group * 5; at < group * 5 + 5; at += 1) {
      // Digits that are left out are the greatest: the bytes that are kept stay as they are.
      const value = at < digits.length ? (VALUES[digits.charCodeAt(at)] ?? -1) : BASE - 1;
      if (value < 0) throw new Error("a letter is not a digit");
      number = number * BASE + value;
    }
    if (number > 0xffffffff) throw new Error("digits are too large");
    bytes.setUint32(group * 4, number);
  }
  return new Uint8Array(bytes.buffer, 0, groups * 4 - missing);
}
