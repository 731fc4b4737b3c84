/** Tokens that are looked for in a text as they stand, before it is cut. */
import { UnsupportedProfile } from "../types";

/** One of a tokenizer.json's `added_tokens`. */
export interface AddedToken {
  id: number;
  content: string;
  special: boolean;
  normalized: boolean;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
}

/** A stretch of a text: an added token (its id), or text between such. */
export interface Stretch {
  start: number;
  end: number;
  id: number | undefined;
}

/** Finds added tokens: leftmost first, of those that begin at one place the longest. */
export class AddedTokens {
  private readonly byStart = new Map<string, AddedToken[]>();

  constructor(tokens: readonly AddedToken[]) {
    for (const token of tokens) {
      if (!token.content) continue;
      if (token.single_word || token.lstrip || token.rstrip) {
        throw new UnsupportedProfile(`the tokenizer's token ${JSON.stringify(token.content)} takes in spaces or wants to be a word`);
      }
      const start = token.content[0]!;
      const others = this.byStart.get(start);
      if (others) others.push(token);
      else this.byStart.set(start, [token]);
    }
    for (const list of this.byStart.values()) list.sort((a, b) => b.content.length - a.content.length);
  }

  /** The whole text as stretches, none empty. */
  stretches(text: string): Stretch[] {
    const stretches: Stretch[] = [];
    let done = 0;
    for (let at = 0; this.byStart.size && at < text.length; ) {
      const token = this.byStart.get(text[at]!)?.find((one) => text.startsWith(one.content, at));
      if (!token) {
        at++;
        continue;
      }
      if (at > done) stretches.push({ start: done, end: at, id: undefined });
      done = at + token.content.length;
      stretches.push({ start: at, end: done, id: token.id });
      at = done;
    }
    if (done < text.length) stretches.push({ start: done, end: text.length, id: undefined });
    return stretches;
  }
}
