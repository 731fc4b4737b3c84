/** Who made a profile: the signature that lies beside it, as `stela profile verify` checks it. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { statementOf } from "./statement";

const LONGEST_NAME = 200;
/** Characters of a maker's name. */

/** What the page says of a profile's signature. */
export type Signature =
  | { state: "none" }
  | { state: "broken" }
  /** The maker's name is what the signer calls itself; nobody checked it, nor the time. */
  | { state: "holds"; key: string; maker: string | null; time: string };

/** The files of a profile, as they were signed. */
export interface SignedFiles {
  /** Text of profile.json, to the byte. */
  content: string;
  tokenizer: Uint8Array;
  table: Uint8Array | null;
  /** Text of signature.json, or null where there is none. */
  statement: string | null;
}

/** The signature of a profile. It is over profile.json, which names tokenizer and table by their SHA-256. */
export function signatureOf({ content, tokenizer, table, statement }: SignedFiles): Signature {
  if (statement === null) return { state: "none" };
  const checked = statementOf(statement, "profile");
  if (checked === null) return { state: "broken" };
  const { profile_sha256, maker = null, time } = checked.says;
  const named = JSON.parse(content) as { tokenizer_sha256?: unknown; table_sha256?: unknown };
  const whole =
    profile_sha256 === digestOf(utf8ToBytes(content)) &&
    named.tokenizer_sha256 === digestOf(tokenizer) &&
    (named.table_sha256 ?? null) === (table === null ? null : digestOf(table));
  if (!whole || !isName(maker)) return { state: "broken" };
  return { state: "holds", key: checked.key, maker, time: String(time).slice(0, 40) };
}

function isName(maker: unknown): maker is string | null {
  if (maker === null) return true;
  return typeof maker === "string" && maker !== "" && [...maker].length <= LONGEST_NAME;
}

function digestOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
