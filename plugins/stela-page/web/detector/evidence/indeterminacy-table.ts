/** lambda of POS contexts from counts of tags (stela_tables/table.py, levels.py). */
import { UnsupportedProfile } from "../types";
import type { TagTable } from "./tag-weights";

const DECIMALS = 1e12;

/** What followed one context: a tag's code and its count, in turns. */
type Followers = readonly number[];

interface Content {
  format?: string;
  k: number;
  tags: string[];
  corpora: { counts: Record<string, Followers> }[];
}

/** Counts of the tags behind each context of one length, in one corpus. */
type Counts = Map<string, Map<number, number>>;

/** How freely the next tag can be chosen behind some tags (Park et al. 2026, section 4). */
export class IndeterminacyTable implements TagTable {
  private readonly codes: ReadonlyMap<string, number>;
  private readonly lambdas = new Map<string, number>();
  private readonly longest: number;

  constructor(file: unknown) {
    const content = file as Content | null;
    if (content?.format !== "stela-table/1") {
      throw new UnsupportedProfile("the profile's table holds no counts of tags");
    }
    this.codes = new Map(content.tags.map((tag, code) => [tag, code]));
    this.longest = content.k - 1;
    let corpora = content.corpora.map(({ counts }) => countsOf(counts));
    for (let length = this.longest; ; length--) {
      for (const context of new Set(corpora.flatMap((counts) => [...counts.keys()]))) {
        this.lambdas.set(context, lambdaOf(corpora.flatMap((counts) => counts.get(context) ?? [])));
      }
      if (length === 0) break;
      corpora = corpora.map(shortened);
    }
  }

  /** The lambda of the longest end of the tags that was seen; the empty one always was. */
  behind(tags: readonly string[]): number {
    const codes = tags.slice(Math.max(0, tags.length - this.longest)).map((tag) => this.codes.get(tag) ?? -1);
    for (let start = 0; ; start++) {
      const lambda = this.lambdas.get(codes.slice(start).join(" "));
      if (lambda !== undefined) return lambda;
      if (start >= codes.length) throw new UnsupportedProfile("the profile's table holds no counts");
    }
  }
}

function countsOf(counts: Record<string, Followers>): Counts {
  return new Map(
    Object.entries(counts).map(([context, followers]) => {
      const next = new Map<number, number>();
      for (let n = 0; n < followers.length; n += 2) next.set(followers[n]!, followers[n + 1]!);
      return [context, next];
    }),
  );
}

/** The counts of contexts one tag shorter: the first tag is summed out. */
function shortened(counts: Counts): Counts {
  const shorter: Counts = new Map();
  for (const [context, followers] of counts) {
    const blank = context.indexOf(" ");
    const end = blank < 0 ? "" : context.slice(blank + 1);
    const sums = shorter.get(end) ?? new Map<number, number>();
    for (const [tag, count] of followers) sums.set(tag, (sums.get(tag) ?? 0) + count);
    shorter.set(end, sums);
  }
  return shorter;
}

/** Entropy of the mean distribution over the corpora that saw a context, over that of as many equally likely tags. */
function lambdaOf(corpora: readonly ReadonlyMap<number, number>[]): number {
  const shares = new Map<number, number>();
  for (const followers of corpora) {
    let total = 0;
    for (const count of followers.values()) total += count;
    for (const [tag, count] of followers) shares.set(tag, (shares.get(tag) ?? 0) + count / total / corpora.length);
  }
  if (shares.size < 2) return 0;
  let entropy = 0;
  for (const tag of [...shares.keys()].sort((a, b) => a - b)) entropy -= shares.get(tag)! * Math.log(shares.get(tag)!);
  const lambda = Math.min(1, Math.max(0, entropy / Math.log(shares.size)));
  return Math.round(lambda * DECIMALS) / DECIMALS;
}
