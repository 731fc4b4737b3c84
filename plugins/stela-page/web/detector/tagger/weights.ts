/** The weights of causal networks, as both passes read them. */
import type { Alphabet } from "./alphabet";
import { charactersOf, givenWidth, JAMO, shapesOf, TAPS, type TaggerFile } from "./file";

/** A convolution: for each place that it sees the weights of one input after the other, and the bias. */
export interface Layer {
  readonly taps: readonly Float64Array[];
  readonly bias: Float64Array;
  readonly dilation: number;
}

/** Vectors of characters or of endings, and where in what the network sees they stand. */
export interface Table {
  readonly rows: Float32Array;
  readonly width: number;
  readonly at: number;
}

/** A network's weights. */
export interface Weights {
  readonly width: number;
  readonly given: number;
  /** Scores of each character so long before a place. */
  readonly kinds: number;
  readonly tables: readonly Table[];
  readonly layers: readonly Layer[];
  /** Scores: a row of weights each (scores, width), and the bias. */
  readonly scores: Float32Array;
  readonly scoreBias: Float32Array;
}

/** The networks of a file: what says where words begin, and what their labels are; or one for both. */
export function weightsOf(file: TaggerFile, alphabet: Alphabet): Weights[] {
  const { char_width, ending_width, lengths, delay, numbers, syllables } = file;
  let at = 0;
  const take = (count: number): Float32Array => numbers.subarray(at, (at += count));
  const [given, shapes] = [givenWidth(file), shapesOf(file)];
  const most = shapes[shapes.length - 1]!.rows;
  return shapes.map(({ width, dilations, rows, kinds }) => {
    const characters = take(charactersOf(file) * char_width);
    const jamo = syllables ? JAMO.map((count) => take(count * char_width)) : [];
    return {
      width,
      given,
      kinds,
      tables: [
        { rows: syllables ? withSyllables(characters, jamo, alphabet.syllables, char_width) : characters, width: char_width, at: 0 },
        ...lengths.map((_, n) => ({ rows: all(take(rows * ending_width), most, ending_width), width: ending_width, at: char_width + n * ending_width })),
      ],
      layers: dilations.map((dilation, n) => {
        const size = n ? width : given;
        const weights = take(width * TAPS * size);
        const taps = Array.from({ length: TAPS }, (_, tap) => turned(weights, TAPS * size, tap * size, size, width));
        return { taps, bias: Float64Array.from(take(width)), dilation };
      }),
      scores: take((delay + 1) * kinds * width),
      scoreBias: take((delay + 1) * kinds),
    };
  });
}

/** A table with the first row for what only another network knows. */
function all(rows: Float32Array, most: number, width: number): Float32Array {
  if (rows.length === most * width) return rows;
  const table = new Float32Array(most * width);
  table.set(rows);
  for (let n = rows.length; n < table.length; n++) table[n] = rows[n % width]!;
  return table;
}

/** A table of characters, and behind it syllables: what they would have otherwise and vectors of their parts. */
function withSyllables(characters: Float32Array, jamo: readonly Float32Array[], others: Int32Array, width: number): Float32Array {
  const table = new Float32Array(characters.length + others.length * width);
  table.set(characters);
  others.forEach((other, syllable) => {
    const parts = [Math.floor(syllable / JAMO[1] / JAMO[2]), Math.floor(syllable / JAMO[2]) % JAMO[1], syllable % JAMO[2]];
    for (let n = 0; n < width; n++) {
      const [a, b, c] = parts.map((part, number) => jamo[number]![part * width + n]!);
      table[characters.length + syllable * width + n] = characters[other * width + n]! + Math.fround(Math.fround(a! + b!) + c!);
    }
  });
  return table;
}

/** Columns `first .. first + count` of a matrix (rows, size), the numbers of each one after the other. */
function turned(weights: Float32Array, size: number, first: number, count: number, rows: number): Float64Array {
  const columns = new Float64Array(count * rows);
  for (let row = 0; row < rows; row++) for (let n = 0; n < count; n++) columns[n * rows + row] = weights[row * size + first + n]!;
  return columns;
}

/** How many places before one decide what a layer makes of it, by the layers before. */
export function reachesOf({ layers }: Weights): number[] {
  let reach = 0;
  return [0, ...layers.map(({ dilation }) => (reach += (TAPS - 1) * dilation))];
}
