/** Draws of `textgrain`: keyed blocks of tokens, a column of scores (stela_textgrain/numbers.py). */
import { drawnUnder, type Hasher, type HasherPart, NOISE, plain } from "./hashers";
import { exponentialDraw, mix } from "./hashing/mix";
import type { Words } from "./hashing/words";

/** Number of the first cell of the table of scores. */
const TABLE = 2 ** 31;
/** Number of the column's draw. */
const COLUMN = 2 ** 32 - 4;

export function textgrain(part: HasherPart, parameters: Record<string, unknown>): Hasher {
  const blocks = (parameters["blocks"] as number | undefined) ?? 16;
  const columns = (parameters["columns"] as number | undefined) ?? 16;
  const share = (seed: Words, token: number, count: number) => Math.floor((mix(seed, token) * count) / 2 ** 32);
  return {
    ...plain(part, NOISE),
    firstOnly: true,
    under: drawnUnder((seed) => {
      const column = share(seed, COLUMN, columns);
      return (token) => exponentialDraw(mix(seed, TABLE + share(seed, token, blocks) * columns + column), 32);
    }),
  };
}
