/** A profile in a link: profile.json and signature, deflated, in the part of an address that no browser sends.
 *
 * Tokenizer and table are too large for links: the page that opens one must hold them already, and knows them by their
 * SHA-256. `stela profile link` (`stela_page/link.py`) writes the same links.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isObject, parsedProfile } from "../../detector/reading/json";
import { inflated } from "../files/zip";
import type { Packed } from "../messages";
import { isSound } from "./sound";

const BEGIN = "#profile=";
const FORMAT = "stela-link/1";
const FIELDS = "content,format,name,statement";

export const LONGEST = 8000;
/** Characters of a link's last part: what mail, chats and servers in between still hand on whole. */
const LARGEST = 65_536;
/** Bytes that it may hold, inflated. */
const LONGEST_NAME = 200;

/** Why a link gives no mark: the name of the sentence in the page's words. */
export class BadLink extends Error {
  constructor(readonly problem: "linkDamaged" | "linkElsewhere") {
    super(problem);
  }
}

/** What a link to this mark ends with, or null where that is too long, or holds what pages read from no link (a tagger). */
export async function endOf({ name, content, statement }: Pick<Packed, "name" | "content" | "statement">): Promise<string | null> {
  if (!isSound(parsedProfile(content))) return null;
  const bytes = utf8ToBytes(JSON.stringify({ format: FORMAT, name: name.slice(0, LONGEST_NAME), content, statement }));
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length > LARGEST || packed.length * 4 > 3 * LONGEST) return null;
  const base64 = btoa(String.fromCharCode(...packed));
  return BEGIN + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The mark in the last part of the page's address, or null where there is none.
 *
 * @param own the marks of the page, whose tokenizers and tables it may stand on.
 * @throws BadLink
 */
export async function markIn(hash: string, own: readonly Packed[]): Promise<Packed | null> {
  if (!hash.startsWith(BEGIN)) return null;
  const { name, content, statement, profile } = await read(hash.slice(BEGIN.length)).catch(() => {
    throw new BadLink("linkDamaged");
  });
  const named = own.map((one) => ({ one, has: JSON.parse(one.content) as Named }));
  const same = named.find(({ has }) => has.tokenizer_sha256 === profile.tokenizer_sha256)?.one;
  const tokenizer = same?.tokenizer;
  const wanted = profile.table_sha256 ?? null;
  const table = wanted === null ? null : named.find(({ has }) => has.table_sha256 === wanted)?.one.table;
  if (tokenizer === undefined || table === undefined) throw new BadLink("linkElsewhere");
  const digest = bytesToHex(sha256(utf8ToBytes(content)));
  return { name, sha256: digest, content, statement, tokenizer, table, ...(same?.tokenizer_known ? { tokenizer_known: true } : {}) };
}

interface Named {
  tokenizer_sha256: string;
  table_sha256?: string | null;
}

async function read(letters: string): Promise<Pick<Packed, "name" | "content" | "statement"> & { profile: Named }> {
  if (letters.length > LONGEST || !/^[A-Za-z0-9_-]+$/.test(letters)) throw new Error("no link");
  const packed = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const bytes = await inflated(packed, LARGEST);
  const given: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  if (!isObject(given) || Object.keys(given).sort().join() !== FIELDS) throw new Error("no link");
  const { format, name, content, statement } = given;
  if (format !== FORMAT || typeof content !== "string" || /\p{Surrogate}/u.test(content)) throw new Error("no link");
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME) throw new Error("no name");
  if (statement !== null && typeof statement !== "string") throw new Error("no signature");
  const profile = parsedProfile(content);
  if (!isSound(profile)) throw new Error("no profile");
  return { name, content, statement, profile: profile as Named };
}
