/** What makes a result one that can be found again: when it was made, and of what, by hashes. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { element } from "./elements";
import { bidi } from "./signature";
import type { Words } from "./words";
import type { Opened } from "./work";

/** SHA-256 of a text in UTF-8: by the browser, which does it beside the page, where the page may ask it. */
export async function digestOf(text: string): Promise<string> {
  const bytes = utf8ToBytes(text) as Uint8Array<ArrayBuffer>;
  // A page that came over http without encryption may not.
  const subtle = globalThis.crypto?.subtle;
  return bytesToHex(subtle ? new Uint8Array(await subtle.digest("SHA-256", bytes)) : sha256(bytes));
}

/** Terms and what is said of them.
 *
 * @param source name of the text's file, or null.
 * @param profile the one whose result it is, where it is one.
 */
export function recordRows(
  { made, digest, source }: { made: Date; digest: string; source: string | null },
  profile: Opened | undefined,
  words: Words,
): [string, Node | string][] {
  const clock = made.toLocaleString(words.tag, { dateStyle: "long", timeStyle: "long" });
  const code = (hash: string): Node => element("code", {}, hash);
  return [
    [words.checkedOn, element("time", { datetime: made.toISOString() }, clock)],
    ...(source === null ? [] : ([[words.textFile, bidi(source)]] as [string, Node][])),
    [words.textDigest, code(digest)],
    ...(profile !== undefined && "profile" in profile ? ([[words.file, code(profile.profile.sha256)]] as [string, Node][]) : []),
  ];
}
