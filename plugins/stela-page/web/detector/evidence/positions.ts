/** Which tokens of a text are scored: no token decides it but by being none of the text's, and no key does. */
import type { Hasher } from "../hashers";
import { Contexts } from "./numbering";
import type { TokenBytes } from "../tokenizer/token-bytes";

/** The hash context of the token at a position, oldest id first; the hasher's padding stands in front of the text. */
export function contextAt(ids: readonly number[], position: number, { width, padding = -1 }: Hasher): number[] {
  return Array.from({ length: width }, (_, n) => ids[position - width + n] ?? padding);
}

/** Positions whose token and hash context are ordinary text tokens, and where the hasher marks. */
export function scoredPositions(ids: readonly number[], bytes: TokenBytes, hasher: Hasher): number[] {
  const { width } = hasher;
  const positions: number[] = [];
  const contexts = new Contexts(ids, width, hasher.padding ?? -1);
  let run = hasher.padded ? width : 0; // ordinary tokens in a row before this one
  for (let position = 0; position < ids.length && positions.length < hasher.mostContexts; position++) {
    if (!bytes.isText(ids[position]!)) {
      run = 0;
      continue;
    }
    run++;
    if (run <= width) continue;
    if (hasher.firstOnly) {
      const known = contexts.size;
      if (contexts.before(position) < known) continue;
    }
    positions.push(position);
  }
  return positions;
}
