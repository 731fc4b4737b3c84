/** A table of values by the last characters of a text (stela_tables/values.py). */
import { lastCodePoints } from "../characters";
import { UnsupportedProfile } from "../types";
import type { Weigher } from "./weigher";

const UNIT = 1000;
/** Characters of the text before a token that a weight is shown. */
const TAIL = 64;

/** Looks up what may be expected of the next token; what its values are was checked (`checkTable`). */
export class ValueTable implements Weigher {
  private readonly values: ReadonlyMap<string, number>;
  private readonly longest: number;
  private readonly otherwise: number;

  constructor(file: unknown) {
    const content = file as {
      format?: string;
      key?: string;
      longest?: number;
      unit?: number;
      values?: Record<string, number>;
    } | null;
    const known = content?.format === "stela-values/1" && content.unit === UNIT;
    if (!known || content.key !== "characters") {
      throw new UnsupportedProfile("the profile's table holds no values by the characters of a text");
    }
    this.values = new Map(Object.entries(content.values!));
    this.longest = Math.min(content.longest!, TAIL);
    this.otherwise = this.values.get("")! / UNIT;
  }

  weights(text: string, ends: readonly number[]): Float64Array {
    return Float64Array.from(ends, (end) => this.after(text, end));
  }

  /** The value after `text.slice(0, end)`: that of its longest suffix in the table. */
  after(text: string, end: number): number {
    const nearby = text.slice(Math.max(0, end - 2 * this.longest), end);
    const starts = [nearby.length];
    while (starts.length <= this.longest && starts[starts.length - 1]! > 0) {
      starts.push(lastCodePoints(nearby.slice(0, starts[starts.length - 1]), 1));
    }
    for (let length = starts.length - 1; length > 0; length--) {
      const value = this.values.get(nearby.slice(starts[length]));
      if (value !== undefined) return value / UNIT;
    }
    return this.otherwise;
  }
}
