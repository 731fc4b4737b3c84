/** The text before a token, as a pure function of the ids before it (stela_core/text/prefix.py). */
import type { TokenBytes } from "../tokenizer/token-bytes";

/** The text of ids, and where the text of those before each of them ends in it, in UTF-16 units. */
export function prefixEnds(ids: readonly number[], bytes: TokenBytes): { text: string; ends: number[] } {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: string[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const id of ids) {
    ends.push(length);
    const part = decoder.decode(bytes.of(id), { stream: true });
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(""), ends };
}
