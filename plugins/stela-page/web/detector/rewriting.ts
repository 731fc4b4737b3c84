/** A text that is rewritten step by step and knows where each of its characters came from. */

/** The edits of one rewriting that change lengths: in order, none over another. */
export interface Step {
  readonly starts: number[];
  readonly ends: number[];
  /** UTF-16 units that each became. */
  readonly sizes: number[];
}

/** Replace `text.slice(start, end)` by a string. */
export type Edit = readonly [start: number, end: number, by: string];

/** A text being rewritten; what changes no length leaves no trace in `steps`. */
export class Draft {
  readonly steps: Step[] = [];

  constructor(public text: string) {}

  /** Replace each match of a global pattern. */
  sub(pattern: RegExp, by: (match: RegExpMatchArray) => string): void {
    const edits: Edit[] = [];
    for (const match of this.text.matchAll(pattern)) {
      edits.push([match.index, match.index + match[0].length, by(match)]);
    }
    this.edit(edits);
  }

  /** Make edits, ascending. */
  edit(edits: Iterable<Edit>): void {
    const text = this.text;
    const step: Step = { starts: [], ends: [], sizes: [] };
    const pieces: string[] = [];
    let done = 0;
    for (const [start, end, by] of edits) {
      if (by.length === end - start && text.startsWith(by, start)) continue;
      pieces.push(text.slice(done, start), by);
      done = end;
      if (by.length !== end - start) {
        step.starts.push(start);
        step.ends.push(end);
        step.sizes.push(by.length);
      }
    }
    if (pieces.length) this.text = pieces.join("") + text.slice(done);
    if (step.starts.length) this.steps.push(step);
  }
}

/** Where ascending boundaries of the last text lie in the first; 0 stays 0. */
export function inGiven(points: readonly number[], steps: readonly Step[]): number[] {
  let given = [...points];
  for (let n = steps.length - 1; n >= 0; n--) given = before(given, steps[n]!);
  return given.map((at, n) => (points[n] === 0 ? 0 : at));
}

/** Where ascending boundaries lie before a step: inside an edit counted from its beginning, no further than its end. */
function before(points: readonly number[], step: Step): number[] {
  const { starts, ends, sizes } = step;
  let next = 0;
  let grown = 0; // by all edits that begin at or before the boundary
  let begun = 0; // where the last of them begins in the text after the step
  return points.map((point) => {
    while (next < starts.length && starts[next]! - grown <= point) {
      begun = starts[next]! - grown;
      grown += ends[next]! - starts[next]! - sizes[next]!;
      next++;
    }
    if (next === 0) return point;
    const start = starts[next - 1]!;
    const into = point - begun;
    if (into >= sizes[next - 1]!) return point + grown;
    return start + Math.min(into, ends[next - 1]! - start);
  });
}
