/** The code that scores most (stela_payload/choosing.py, compiled.py): of equal ones the one that Python takes. */
import { valuesOfBytes } from "./blocks";

const VALUES = 256;
/** Of a byte. */

/** The value of each block of the code whose blocks' scores sum to most. */
export function bestCode(scores: readonly Float32Array[]): number[] {
  const [only] = scores;
  if (scores.length === 1) return [only!.reduce((best, score, value) => (score > only![best]! ? value : best), 0)];
  let top = -Infinity;
  let best: number[] = [];
  for (let first = 0; first < VALUES; first++) {
    const round = bestRound(scores, first);
    if (round.total > top) [top, best] = [round.total, round.content];
  }
  return valuesOfBytes(best);
}

/** The best round of bytes that begins with this one: Viterbi's algorithm on a ring (a tail-biting trellis). */
function bestRound(scores: readonly Float32Array[], first: number): { total: number; content: number[] } {
  const count = scores.length;
  let best = scores[0]!.slice(first * VALUES, (first + 1) * VALUES);
  const came = Array.from({ length: count }, () => new Uint8Array(VALUES));
  for (let n = 1; n < count - 1; n++) best = stepped(best, scores[n]!, came[n]!);
  let top = -Infinity;
  let last = 0;
  for (let before = 0; before < VALUES; before++) {
    const total = Math.fround(best[before]! + scores[count - 1]![before * VALUES + first]!);
    if (total > top) [top, last] = [total, before];
  }
  const content = new Array<number>(count).fill(first);
  for (let n = count - 1; n > 0; n--) {
    content[n] = last;
    last = came[n - 1]![last]!;
  }
  return { total: top, content };
}

/** The best sums one byte further, and from which byte each came. */
function stepped(best: Float32Array, scores: Float32Array, came: Uint8Array): Float32Array<ArrayBuffer> {
  const further = new Float32Array(VALUES).fill(-Infinity);
  for (let before = 0; before < VALUES; before++) {
    const start = best[before]!;
    const row = before * VALUES;
    for (let after = 0; after < VALUES; after++) {
      const total = Math.fround(start + scores[row + after]!);
      if (total > further[after]!) {
        further[after] = total;
        came[after] = before;
      }
    }
  }
  return further;
}
