/** The model of a tokenizer.json (BPE): tokens, their ids, and pieces of text to ids. */
import { UnsupportedProfile } from "../types";
import { mergeAll } from "./bpe";
import { Merges } from "./merges";

/** What a tokenizer.json says of its model. */
interface Model {
  type?: string;
  vocab?: Record<string, number>;
  merges?: (string | [string, string])[];
  unk_token?: string | null;
  byte_fallback?: boolean;
  ignore_merges?: boolean;
  dropout?: number | null;
  continuing_subword_prefix?: string | null;
  end_of_word_suffix?: string | null;
}

const REMEMBERED = 20_000;

/** A vocabulary of BPE. */
export class Vocabulary {
  readonly ids: ReadonlyMap<string, number>;
  private readonly merges: Merges;
  private readonly byBytes: number[] | undefined;
  private readonly remembered = new Map<string, number[]>();

  constructor(
    private readonly model: Model,
    inBytes: boolean,
  ) {
    if ((model.type ?? "BPE") !== "BPE" || !model.vocab || !model.merges) {
      throw new UnsupportedProfile(`the tokenizer's model (${model.type ?? "none"}) is not known to be exact here: BPE is`);
    }
    if (model.dropout) {
      throw new UnsupportedProfile(
        "the tokenizer's dropout cuts a text in another way each time: set it to null in tokenizer.json, and make the profile again",
      );
    }
    if (model.continuing_subword_prefix || model.end_of_word_suffix) {
      throw new UnsupportedProfile("the tokenizer's BPE has a prefix or a suffix");
    }
    this.ids = new Map(Object.entries(model.vocab));
    this.merges = new Merges(model.merges.length);
    model.merges.forEach((merge, rank) => {
      const [left, right] = typeof merge === "string" ? merge.split(" ") : merge;
      const made = this.ids.get(`${left}${right}`);
      const pair = [this.ids.get(left!), this.ids.get(right ?? "")];
      if (made === undefined || pair[0] === undefined || pair[1] === undefined) {
        throw new UnsupportedProfile("the tokenizer's merges name tokens that are not in its vocabulary");
      }
      this.merges.set(pair[0], pair[1], rank, made);
    });
    if (inBytes ? model.byte_fallback || model.unk_token != null : !model.byte_fallback) {
      throw new UnsupportedProfile("the tokenizer treats unknown characters in a way that is not known to be exact here");
    }
    if (model.byte_fallback) {
      const bytes = Array.from({ length: 256 }, (_, n) => this.ids.get(`<0x${hex(n)}>`));
      if (bytes.every((id) => id !== undefined)) this.byBytes = bytes as number[];
      else throw new UnsupportedProfile("the tokenizer falls back to bytes that are not all in its vocabulary");
    }
  }

  /** The ids of a piece of text as the vocabulary spells it. */
  encode(piece: string): number[] {
    let ids = this.remembered.get(piece);
    if (ids === undefined) {
      const whole = this.model.ignore_merges ? this.ids.get(piece) : undefined;
      ids = whole !== undefined ? [whole] : mergeAll(this.symbols(piece), this.merges);
      if (piece.length < 256) {
        if (this.remembered.size >= REMEMBERED) this.remembered.clear();
        this.remembered.set(piece, ids);
      }
    }
    return ids;
  }

  /** One id a character; of those that are not in the vocabulary their bytes' ids, or none. */
  private symbols(piece: string): number[] {
    const ids: number[] = [];
    for (const character of piece) {
      const id = this.ids.get(character);
      if (id !== undefined) ids.push(id);
      else if (this.byBytes) for (const byte of new TextEncoder().encode(character)) ids.push(this.byBytes[byte]!);
    }
    return ids;
  }
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}
