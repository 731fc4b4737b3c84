/** Text to token ids, as the tokenizers' library does it with add_special_tokens=False, and where they stand. */
import { Draft, inGiven } from "../rewriting";
import { type AddedToken, AddedTokens } from "./added-tokens";
import { type Normalizer, normalizerOf } from "./normalizers";
import { type Cuts, cutsOf } from "./pieces";
import { CHARACTER_OF_BYTE, TokenBytes } from "./token-bytes";
import { Vocabulary } from "./vocabulary";

/** The tokens of a text: token n is `text.slice(starts[n], ends[n])`, in UTF-16 units. */
export interface Encoded {
  readonly ids: number[];
  readonly starts: number[];
  readonly ends: number[];
}

/** A tokenizer of a kind that is known to give the library's ids. */
export class Tokenizer {
  /** Bytes of the ids. */
  readonly bytes: TokenBytes;
  private readonly vocabulary: Vocabulary;
  private readonly cuts: Cuts;
  private readonly normalizer: Normalizer | undefined;
  private readonly literal: AddedTokens;
  private readonly normalized: AddedTokens;

  /** Throws UnsupportedProfile in one line where a part of the file is of no known kind. */
  constructor(file: unknown) {
    const content = file as Record<string, unknown>;
    const added = (content["added_tokens"] ?? []) as AddedToken[];
    this.cuts = cutsOf(content["pre_tokenizer"]);
    this.vocabulary = new Vocabulary(content["model"] as object, this.cuts.bytes);
    this.normalizer = normalizerOf(content["normalizer"]);
    this.literal = new AddedTokens(added.filter((token) => !token.normalized));
    this.normalized = new AddedTokens(added.filter((token) => token.normalized).map((one) => this.respelt(one)));
    this.bytes = new TokenBytes(this.vocabulary.ids, added, content["decoder"]);
  }

  /** The ids of a text of well-formed unicode. */
  encode(text: string): Encoded {
    const encoded: Encoded = { ids: [], starts: [], ends: [] };
    for (const { start, end, id } of this.literal.stretches(text)) {
      if (id !== undefined) put(encoded, id, start, end);
      else this.encodeStretch(text.slice(start, end), start, encoded);
    }
    return encoded;
  }

  private encodeStretch(given: string, offset: number, out: Encoded): void {
    const draft = new Draft(given);
    this.normalizer?.(draft);
    const first = out.ids.length;
    for (const { start, end, id } of this.normalized.stretches(draft.text)) {
      if (id !== undefined) put(out, id, start, end);
      else this.encodePieces(draft.text.slice(start, end), start, out);
    }
    const moved = (list: number[]): void => {
      const points = list.slice(first);
      const places = draft.steps.length ? inGiven(points, draft.steps) : points;
      places.forEach((place, n) => (list[first + n] = offset + place));
    };
    moved(out.starts);
    moved(out.ends);
  }

  private encodePieces(text: string, offset: number, out: Encoded): void {
    let pieces = [text];
    for (const cutter of this.cuts.cutters) pieces = pieces.flatMap(cutter);
    for (const piece of pieces) {
      const spelt = this.cuts.bytes ? inBytes(piece) : piece;
      const ids = this.vocabulary.encode(spelt);
      const places = new Places(piece);
      for (const id of ids) {
        const start = places.at;
        places.advance(this.bytes.of(id).length - this.extra(id));
        put(out, id, offset + start, offset + places.at);
      }
      offset += piece.length;
    }
  }

  /** Bytes by which a token of SentencePiece is shorter than what it stands for here: its spaces have three. */
  private extra(id: number): number {
    if (this.cuts.bytes) return 0;
    let spaces = 0;
    for (const byte of this.bytes.of(id)) if (byte === 0x20) spaces++;
    return -2 * spaces;
  }

  private respelt(token: AddedToken): AddedToken {
    const draft = new Draft(token.content);
    this.normalizer?.(draft);
    return { ...token, content: draft.text };
  }
}

/** Counts bytes of a text in whole characters. */
class Places {
  /** UTF-16 units whose characters are complete. */
  at = 0;
  private left = 0;

  constructor(private readonly text: string) {}

  advance(bytes: number): void {
    this.left += bytes;
    while (this.at < this.text.length) {
      const point = this.text.codePointAt(this.at)!;
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (size > this.left) return;
      this.left -= size;
      this.at += point < 0x10000 ? 1 : 2;
    }
  }
}

function put(out: Encoded, id: number, start: number, end: number): void {
  out.ids.push(id);
  out.starts.push(start);
  out.ends.push(end);
}

function inBytes(piece: string): string {
  let spelt = "";
  for (const byte of new TextEncoder().encode(piece)) spelt += CHARACTER_OF_BYTE[byte];
  return spelt;
}
