/** The weights of a causal network, as both its passes read them. */
import { BLOCKS, type Description, FIRST_UNKNOWN, givenWidth, TAPS, type TaggerFile } from "./file";

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

export class Weights {
  readonly width: number;
  readonly given: number;
  readonly labels: readonly (readonly string[])[];
  /** Of each character so long before a place: a score of a word that begins there, and those of its labels. */
  readonly kinds: number;
  readonly delay: number;
  readonly tables: readonly Table[];
  readonly layers: readonly Layer[];
  /** Scores: a row of weights each (scores, width), and the bias. */
  readonly scores: Float32Array;
  readonly scoreBias: Float32Array;

  constructor(file: TaggerFile) {
    const { char_width, ending_width, lengths, bits, dilations, labels, width, delay, numbers } = file;
    let at = 0;
    const take = (count: number): Float32Array => numbers.subarray(at, (at += count));
    this.width = width;
    this.given = givenWidth(file);
    this.delay = delay;
    this.labels = labels.map((label) => label.split("+"));
    this.kinds = 1 + labels.length;
    const known = FIRST_UNKNOWN + BLOCKS + [...file.characters].length;
    this.tables = [
      { rows: take(known * char_width), width: char_width, at: 0 },
      ...lengths.map((_, n) => ({ rows: take(ending_width << bits), width: ending_width, at: char_width + n * ending_width })),
    ];
    this.layers = dilations.map((dilation, n) => {
      const size = n ? width : this.given;
      const weights = take(width * TAPS * size);
      const taps = Array.from({ length: TAPS }, (_, tap) => turned(weights, TAPS * size, tap * size, size, width));
      return { taps, bias: Float64Array.from(take(width)), dilation };
    });
    const count = (delay + 1) * this.kinds;
    this.scores = take(count * width);
    this.scoreBias = take(count);
  }
}

/** Columns `first .. first + count` of a matrix (rows, size), the numbers of each one after the other. */
function turned(weights: Float32Array, size: number, first: number, count: number, rows: number): Float64Array {
  const columns = new Float64Array(count * rows);
  for (let row = 0; row < rows; row++) for (let n = 0; n < count; n++) columns[n * rows + row] = weights[row * size + first + n]!;
  return columns;
}

/** How many places before one decide what a layer makes of it, by the layers before. */
export function reachesOf({ dilations }: Description): number[] {
  let reach = 0;
  return [0, ...dilations.map((dilation) => (reach += (TAPS - 1) * dilation))];
}
