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

const OUTER: readonly number[] = new Array<number>(REACH).fill(OUTSIDE);

/** The words that decide tags, and which of them are tagged. */
interface Near {
  readonly near: readonly Word[];
  readonly places: readonly number[];
}

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

  /** The last `count` tags of each window, as `lastTags` gives them: what they need of the network is worked out together. */
  lastTagsOf(windows: readonly string[], count: number): string[][] {
    this.cutter.prepare(windows);
    const asked = windows.map((window) => {
      const pieces = this.cutter.pieces(window);
      return pieces.length === 1 ? this.nearOf(this.cutter.lastWords(window, count, REACH), count) : undefined;
    });
    this.makeRoom(asked.reduce((sum, one) => sum + (one?.near.length ?? 0), 0));
    this.embedAll(asked.flatMap((one) => one?.near ?? []));
    const around = asked.map((one) => (one ? this.aroundOf(one) : []));
    this.network.prepare(around.flat());
    const tags = around.map((each) => each.map((tokens) => this.network.label(tokens)));
    // Last, as room may be made for them.
    return tags.map((known, n) => (asked[n] ? known : this.lastTags(windows[n]!, count)));
  }

  private tagsOf(words: readonly Word[], count: number): string[] {
    const near = this.nearOf(words, count);
    this.makeRoom(near.near.length);
    return this.aroundOf(near).map((tokens) => this.network.label(tokens));
  }

  /** The last `count` of words that are not white space. */
  private nearOf(words: readonly Word[], count: number): Near {
    const places: number[] = [];
    for (let n = words.length - 1; n >= 0 && places.length < count; n--) {
      if (!this.cutter.isSpace(words[n]!.text)) places.unshift(n);
    }
    if (!places.length) return { near: [], places };
    const start = Math.max(0, places[0]! - REACH);
    return { near: words.slice(start), places: places.map((place) => place - start) };
  }

  private makeRoom(more: number): void {
    if (!this.network.isFull(more)) return;
    this.network.forget();
    this.tokenOf.clear();
  }

  /** Of each tagged word the numbers of two tokens before it, of itself, and of two behind. */
  private aroundOf({ near, places }: Near): number[][] {
    const tokens = [...OUTER, ...near.map((word) => this.token(word)), ...OUTER];
    return places.map((place) => tokens.slice(place, place + 2 * REACH + 1));
  }

  private embedAll(words: readonly Word[]): void {
    const missing = new Map<string, Word>();
    for (const word of words) {
      const key = keyOf(word);
      if (!this.tokenOf.has(key)) missing.set(key, word);
    }
    const features = [...missing.values()].map(({ text, norm }) => this.features.of(text, norm));
    const tokens = this.network.embedAll(features, (part) => this.features.numberOf(part));
    [...missing.keys()].forEach((key, n) => this.tokenOf.set(key, tokens[n]!));
  }

  private token(word: Word): number {
    const { text, norm } = word;
    const key = keyOf(word);
    let token = this.tokenOf.get(key);
    if (token === undefined) {
      token = this.network.embed(this.features.of(text, norm), (part) => this.features.numberOf(part));
      this.tokenOf.set(key, token);
    }
    return token;
  }
}

function keyOf({ text, norm }: Word): string {
  return norm === undefined ? text : `${text}\n${norm}`;
}

function cutterOf({ rules, segmenter }: TaggerFile, characters: Characters, numbers: Float32Array): Cutter {
  if (rules) return new Rules(rules, characters);
  if (segmenter) return new Segmenter(segmenter.network, segmenter.longest, numbers, characters);
  throw new UnsupportedProfile("the page's tagger is damaged");
}
