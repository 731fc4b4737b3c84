/** A tagger: the last tags of a window, each window by itself (stela_spacy/tagger.py). */
import { UnsupportedProfile } from "../types";
import { Characters } from "./characters";
import type { Cutter, Word } from "./cutter";
import { Features } from "./features";
import type { Identity, TaggerFile } from "./file";
import { Network, OUTSIDE } from "./network";
import { Segmenter } from "./segmenter";
import { Rules } from "./words";

/** Tokens on each side that a tag depends on. */
const REACH = 2;

/** Tags windows. */
export class Tagger {
  readonly identity: Identity;
  readonly characters: Characters;
  readonly network: Network;
  readonly cutter: Cutter;
  private readonly features: Features;
  private readonly tokenOf = new Map<string, number>();

  constructor(file: TaggerFile) {
    this.identity = file;
    this.characters = new Characters(file.characters);
    this.features = new Features(file.features, this.characters);
    this.network = new Network(file.network, file.numbers);
    this.cutter = cutterOf(file, this.characters, file.numbers.subarray(this.network.size));
  }

  /** The last `count` tags of a window, fewer where it has fewer words; white space has none. */
  lastTags(window: string, count: number): string[] {
    const tags: string[] = [];
    const pieces = this.cutter.pieces(window);
    for (let n = pieces.length - 1; n >= 0 && tags.length < count; n--) {
      const missing = count - tags.length;
      tags.unshift(...this.tagsOf(this.cutter.lastWords(pieces[n]!, missing, REACH), missing));
    }
    return tags;
  }

  private tagsOf(words: readonly Word[], count: number): string[] {
    const places: number[] = [];
    for (let n = words.length - 1; n >= 0 && places.length < count; n--) {
      if (!this.cutter.isSpace(words[n]!.text)) places.unshift(n);
    }
    if (!places.length) return [];
    const start = Math.max(0, places[0]! - REACH);
    const near = words.slice(start);
    if (this.network.isFull(near.length)) {
      this.network.forget();
      this.tokenOf.clear();
    }
    const outside = new Array<number>(REACH).fill(OUTSIDE);
    const tokens = [...outside, ...near.map((word) => this.token(word)), ...outside];
    return places.map((place) => this.network.label(tokens.slice(place - start, place - start + 2 * REACH + 1)));
  }

  private token({ text, norm }: Word): number {
    const key = norm === undefined ? text : `${text}\n${norm}`;
    let token = this.tokenOf.get(key);
    if (token === undefined) {
      token = this.network.embed(this.features.of(text, norm), (part) => this.features.numberOf(part));
      this.tokenOf.set(key, token);
    }
    return token;
  }
}

function cutterOf({ rules, segmenter }: TaggerFile, characters: Characters, numbers: Float32Array): Cutter {
  if (rules) return new Rules(rules, characters);
  if (segmenter) return new Segmenter(segmenter.network, segmenter.longest, numbers, characters);
  throw new UnsupportedProfile("the page's tagger is damaged");
}
