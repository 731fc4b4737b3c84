/** A causal network's scores to the bit of Python's (stela_causal/plain.py): sums of single precision, in its order. */
import { AT_ONCE } from "./file";
import type { Weights } from "./weights";

const { fround } = Math;

/** What the network sees of a place, or nothing where none of the text is. */
export type Seen = (place: number) => Float32Array | undefined;

export class Exact {
  constructor(private readonly weights: Weights) {}

  /** The scores of a place, in the order of the last layer. */
  scores(place: number, seen: Seen): Float32Array {
    const { layers, scores, scoreBias, width } = this.weights;
    const vector = this.hidden(layers.length, place, seen, layers.map(() => new Map()))!;
    return scoreBias.map((bias, row) => sum(bias, [vector], (_, n) => scores[row * width + n]!));
  }

  /** What the first `count` layers make of a place. */
  private hidden(count: number, place: number, seen: Seen, known: readonly Map<number, Float32Array>[]): Float32Array | undefined {
    const given = seen(place);
    if (!count || !given) return given;
    const made = known[count - 1]!.get(place);
    if (made) return made;
    const { taps, bias, dilation } = this.weights.layers[count - 1]!;
    const { width } = this.weights;
    const parts = taps.map((_, tap) => this.hidden(count - 1, place - (taps.length - 1 - tap) * dilation, seen, known));
    const vector = new Float32Array(width);
    for (let unit = 0; unit < width; unit++) {
      const more = sum(bias[unit]!, parts, (tap, n) => taps[tap]![n * width + unit]!);
      vector[unit] = (count > 1 ? parts[parts.length - 1]![unit]! : 0) + Math.max(more, 0);
    }
    known[count - 1]!.set(place, vector);
    return vector;
  }
}

/** A bias and the products of vectors, end to end, with weights: four products are added first. Nothing is as zeros. */
function sum(bias: number, vectors: readonly (Float32Array | undefined)[], weight: (vector: number, n: number) => number): number {
  let total = fround(bias);
  vectors.forEach((vector, at) => {
    if (!vector) return;
    for (let n = 0; n < vector.length; n += AT_ONCE) {
      let four = fround(vector[n]! * weight(at, n));
      for (let m = n + 1; m < n + AT_ONCE; m++) four = fround(four + fround(vector[m]! * weight(at, m)));
      total = fround(total + four);
    }
  });
  return total;
}
