/** Token ids to the bytes that they stand for. */
import { UnsupportedProfile } from "../types";
import type { AddedToken } from "./added-tokens";
import { stepsOf } from "./pieces";

/** GPT-2's printable stand-ins for bytes: byte to character. */
export const CHARACTER_OF_BYTE: readonly string[] = (() => {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : 256 + others++));
})();

const BYTE_OF_CHARACTER = new Map(CHARACTER_OF_BYTE.map((character, byte) => [character, byte]));

/** The bytes of every id of a tokenizer; special tokens have none. */
export class TokenBytes {
  /** Ids there are: the vocabulary's size, however many logits a model has. */
  readonly size: number;
  private readonly tokens: (string | undefined)[];
  private readonly special = new Set<number>();
  private readonly literal = new Set<number>();
  private readonly spelling: "bytes" | "pieces";
  private readonly table: (Uint8Array | undefined)[] = [];

  constructor(vocabulary: ReadonlyMap<string, number>, added: readonly AddedToken[], decoder: unknown) {
    this.spelling = spellingOf(decoder);
    let highest = -1;
    const tokens: (string | undefined)[] = [];
    for (const [token, id] of vocabulary) {
      tokens[id] = token;
      if (id > highest) highest = id;
    }
    for (const { id, content, special } of added) {
      tokens[id] = content;
      if (id > highest) highest = id;
      (special ? this.special : this.literal).add(id);
    }
    this.tokens = tokens;
    this.size = highest + 1;
  }

  /** The bytes of an id; none where it is special or past the vocabulary. */
  of(id: number): Uint8Array {
    return (this.table[id] ??= this.bytes(id));
  }

  /** Whether an id is an ordinary token: in the vocabulary and not special. */
  isText(id: number): boolean {
    return id >= 0 && id < this.size && !this.special.has(id);
  }

  private bytes(id: number): Uint8Array {
    const token = this.tokens[id];
    if (token === undefined || this.special.has(id)) return new Uint8Array();
    const encoder = new TextEncoder();
    if (this.literal.has(id)) return encoder.encode(token);
    if (this.spelling === "bytes") {
      const bytes = Array.from(token, (character) => BYTE_OF_CHARACTER.get(character));
      return bytes.includes(undefined) ? encoder.encode(token) : Uint8Array.from(bytes as number[]);
    }
    const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(token);
    return byte ? Uint8Array.of(parseInt(byte[1]!, 16)) : encoder.encode(token.replaceAll("\u2581", " "));
  }
}

function spellingOf(decoder: unknown): "bytes" | "pieces" {
  const steps = stepsOf(decoder, "decoders");
  if (steps.some((step) => step["type"] === "ByteLevel")) return "bytes";
  const start = (step: Record<string, unknown>): boolean =>
    step["type"] === "Replace" && (step["pattern"] as { String?: string }).String === "\u2581";
  if (steps.some((step) => step["type"] === "Metaspace" || start(step))) return "pieces";
  throw new UnsupportedProfile("the tokenizer's decoder is of a kind that is not supported");
}
