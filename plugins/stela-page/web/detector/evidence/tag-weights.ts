/** Weights by the parts of speech before a token: the last k - 1 tags of a window (stela_core/text/pos_contexts.py). */
import type { Tagger } from "../tagger/tagger";
import { type Unit, windowStarts } from "../tagger/windows";
import type { Weigher } from "./weigher";

const KEPT = 65_536;

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
    const starts = windowStarts(text, ends, this.window, this.unit, this.tagger.characters.space);
    return Float64Array.from(ends, (end, n) => this.weight(text.slice(starts[n], end)));
  }

  private weight(window: string): number {
    let weight = this.kept.get(window);
    if (weight === undefined) {
      if (this.kept.size >= KEPT) this.kept.clear();
      weight = this.table.behind(this.tagger.lastTags(window, this.k - 1));
      this.kept.set(window, weight);
    }
    return weight;
  }
}
