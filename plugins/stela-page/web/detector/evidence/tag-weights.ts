/** Weights by the parts of speech before a token: the last k - 1 tags of a window (stela_core/text/pos_contexts.py). */
import type { Tagger } from "../tagger/tagger";
import { type Unit, windowStarts } from "../tagger/windows";
import type { Weigher } from "./weigher";

/** Windows whose values are remembered, some 100 bytes each: of a long text all, as its canonical form has most of them again. */
const KEPT = 1_048_576;
/** Windows that are tagged together. */
const TOGETHER = 1024;

/** A table of values by tags. */
export interface TagTable {
  /** The value behind some tags, at most k - 1. */
  behind(tags: readonly string[]): number;
}

/** Tags windows and looks their last tags up; windows met before are not tagged again. */
export class TagWeights implements Weigher {
  private readonly kept = new Map<string, number>();

  /**
   * @param k length of the n-grams: k - 1 tags are looked up.
   * @param window so many units are tagged.
   */
  constructor(
    private readonly tagger: Tagger,
    private readonly table: TagTable,
    private readonly k: number,
    private readonly window: number,
    private readonly unit: Unit,
  ) {}

  weights(text: string, ends: readonly number[]): Float64Array {
    const starts = windowStarts(text, ends, this.window, this.unit, this.tagger.space);
    const weights = new Float64Array(ends.length);
    for (let from = 0; from < ends.length; from += TOGETHER) {
      const windows = ends.slice(from, from + TOGETHER).map((end, n) => text.slice(starts[from + n], end));
      if (this.kept.size + TOGETHER > KEPT) this.kept.clear();
      const missing = new Map<string, number>();
      windows.forEach((window, n) => this.kept.has(window) || missing.set(window, from + n));
      const places = [...missing.values()];
      const tags = this.tagger.lastTagsOf(text, places.map((n) => starts[n]!), places.map((n) => ends[n]!), this.k - 1);
      [...missing.keys()].forEach((window, n) => this.kept.set(window, this.table.behind(tags[n]!)));
      windows.forEach((window, n) => (weights[from + n] = this.kept.get(window)!));
    }
    return weights;
  }
}
