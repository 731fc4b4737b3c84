/** A text's tokens in columns: a million objects would hold the page up while they are handed over by the worker. */

import type { Detection, TokenEvidence } from "../detector/types";

/** What is shown of a token; its text is that between its places. */
export type Piece = Omit<TokenEvidence, "text">;

/** An array of pieces, or columns. */
export interface Tokens {
  readonly length: number;
  at(n: number): Piece | undefined;
}

/** A detection as the page holds it. */
export type Seen = Omit<Detection, "tokens"> & { tokens: Tokens };

/** A detection on its way from the worker. */
export type Sent = Omit<Detection, "tokens"> & { columns: Columns };

/** Numbers of each token, NaN where there is none. */
export interface Columns {
  places: Int32Array;
  /** Green 1, red 0. */
  numbers: Float64Array;
}

const PLACES = 2;
const NUMBERS = 3;
/** Of the numbers of a token. */
const WEIGHT = 2;

/** The largest weight of any token; 0 where none has one. */
export function largestWeight(tokens: Tokens): number {
  if (tokens instanceof InColumns) return tokens.largestWeight();
  let largest = 0;
  for (let n = 0; n < tokens.length; n += 1) largest = Math.max(largest, tokens.at(n)?.weight ?? 0);
  return largest;
}

/** What the worker sends: tokens where they are shown, of a text in which something was found. */
export function sentOf({ tokens, ...detection }: Detection): Sent {
  const shown = detection.verdict === "watermarked" || detection.passages.length > 0 ? tokens : [];
  const places = new Int32Array(PLACES * shown.length);
  const numbers = new Float64Array(NUMBERS * shown.length);
  shown.forEach(({ start, end, green, score, weight }, n) => {
    places.set([start, end], PLACES * n);
    numbers.set([green === null ? Number.NaN : Number(green), score ?? Number.NaN, weight ?? Number.NaN], NUMBERS * n);
  });
  return { ...detection, columns: { places, numbers } };
}

/** The detection of what was sent. */
export function seenOf({ columns, ...detection }: Sent): Seen {
  return { ...detection, tokens: new InColumns(columns) };
}

/** What is handed over and not copied. */
export function handedOver({ columns }: Sent): Transferable[] {
  return [columns.places.buffer, columns.numbers.buffer];
}

class InColumns implements Tokens {
  constructor(private readonly columns: Columns) {}

  get length(): number {
    return this.columns.places.length / PLACES;
  }

  /** Without a token's being made: there may be a million. */
  largestWeight(): number {
    const { numbers } = this.columns;
    let largest = 0;
    for (let n = WEIGHT; n < numbers.length; n += NUMBERS) if (numbers[n]! > largest) largest = numbers[n]!;
    return largest;
  }

  at(n: number): Piece | undefined {
    const { places, numbers } = this.columns;
    const [start, end] = places.subarray(PLACES * n, PLACES * (n + 1));
    if (start === undefined || end === undefined) return undefined;
    const [green, score, weight] = Array.from(numbers.subarray(NUMBERS * n, NUMBERS * (n + 1)), known);
    return { start, end, green: green == null ? null : green === 1, score: score ?? null, weight: weight ?? null };
  }
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
