/** One member out of a zip, counted while it is unpacked: headers are not believed. APPNOTE.TXT 6.3.10, 4.3.
 *
 * The browser inflates; the directory is read here: `fflate` believes the length that a header tells, so that a false one cuts
 * the text short without a word, and inflates to the end what nobody keeps.
 */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** The bytes of the member of this name, or null where there is none.
 *
 * @param most bytes that it may have, unpacked.
 * @throws Error where the file is not a zip, is damaged, or the member is larger.
 */
export async function member(file: Uint8Array, name: string, most: number): Promise<Uint8Array | null> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  for (let n = 0; n < count; n += 1) {
    if (view.getUint32(at, true) !== ENTRY) throw new Error("a damaged zip");
    const [length, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    if (new TextDecoder().decode(file.subarray(at + 46, at + 46 + length)) === name) {
      const method = view.getUint16(at + 10, true);
      const packed = view.getUint32(at + 20, true);
      const start = view.getUint32(at + 42, true);
      if (view.getUint32(start, true) !== LOCAL) throw new Error("a damaged zip");
      const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      const bytes = file.subarray(data, data + packed);
      if (method === STORED && bytes.length <= most) return bytes;
      if (method === DEFLATED) return inflated(bytes, most);
      throw new Error("a zip of another kind");
    }
    at += 46 + length + extra + comment;
  }
  return null;
}

/** Where the record at the end of the zip begins; a comment of at most 65,535 bytes follows it. */
function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new Error("no zip");
}

/** Raw deflate (RFC 1951) undone, up to so many bytes.
 *
 * @throws Error where it is damaged or gives more.
 */
export async function inflated(bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("too large");
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
