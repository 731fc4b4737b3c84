/** A profile opened for detection: text in, what `stela detect --json --tokens` says of it out. */
import { loneSurrogate } from "./characters";
import { timesOfWindows } from "./choices";
import { coloured, type Evidence, weighed } from "./evidence/evidence";
import type { TokenWeigher, Weigher } from "./evidence/weigher";
import { type Hasher, hasherOf } from "./hashers";
import { bestReading, decisive, isSmaller, judge, type Judged, VERDICTS } from "./judging";
import { Encoder } from "./messages/encoder";
import { readOf } from "./messages/message";
import type { Scan } from "./passages/scan";
import { type Scanned, scanned, scansOf } from "./passages/scanned";
import { type Profile, profileOf } from "./profile";
import { type Key, knownKeys } from "./reading/keys";
import { readingsOf } from "./readings";
import { caveatOf, noteOf } from "./standing";
import { KNOWN_TOKENIZERS } from "./tables/shipped";
import { digestOf } from "./tokenizer/digest";
import { Tokenizer } from "./tokenizer/tokenizer";
import { type Detection, type Detector, InvalidProfile, MalformedText, type Marked, type ProfileFiles, type ProfileSummary, type TokenEvidence } from "./types";
import { weigherOf } from "./weighing";

/** One key's judgement of a text, with its passages where they were asked for. */
type Keyed = Judged & { key: Key; scan?: Scanned };

/** A text under each key. */
interface Looked {
  readonly judged: readonly Keyed[];
  readonly readings: number;
}

/** Ids that a model's padding may add to a tokenizer's, as many again and these. */
const SPARE_IDS = 1 << 16;

/** The detector of a profile. */
export class ProfileDetector implements Detector {
  readonly profile: ProfileSummary;
  private readonly content: Profile;
  private readonly marked: Marked;
  private readonly hasher: Hasher;
  private readonly keys: readonly Key[];
  /** How many more keys the profile has, which are secret or not what it calls them: texts are not tested for them. */
  private readonly others: number;
  private readonly tokenizer: Tokenizer;
  /** Ids of a tokenizer that is not known here, else 0. */
  private readonly strangeIds: number;
  private readonly weigher: Weigher | TokenWeigher | undefined;
  private readonly encoder: Encoder | undefined;

  /** Throws UnsupportedProfile in one line. */
  constructor(files: ProfileFiles) {
    const { gains, freedom } = files;
    this.marked = { ...(gains && { gains }), ...(freedom && { freedom }) };
    this.content = profileOf(files.profile);
    this.hasher = hasherOf(this.content.hasher);
    const { messages, scoring } = this.content;
    if (messages) this.encoder = new Encoder(messages, this.hasher.mixing!, this.hasher.law, scoring);
    this.content.checkTable(files.table);
    this.weigher = weigherOf(this.content, files);
    this.tokenizer = new Tokenizer(files.tokenizer);
    const isKnown = files.tokenizer_known || KNOWN_TOKENIZERS.includes(digestOf(files.tokenizer).slice(0, 32));
    this.strangeIds = isKnown ? 0 : this.tokenizer.bytes.size;
    const { scheme, language, vocabSize } = this.content;
    const { size } = this.tokenizer.bytes;
    if (vocabSize > 2 * size + SPARE_IDS) throw new InvalidProfile(`the profile has vocab_size ${vocabSize}, its tokenizer ${size} ids`);
    ({ keys: this.keys, others: this.others } = knownKeys(this.content.keys, this.hasher.words));
    for (const { hex } of this.keys) this.hasher.under(hex); // which refuses keys that no p-value is right of
    const secret = this.others ? { secret_keys: this.others } : {};
    this.profile = { name: files.name, scheme, language, key_id: this.keys[0]!.id, ...secret, sha256: files.sha256 };
  }

  get name(): string {
    return this.profile.name;
  }

  /** The ids of a text: what parity is tested by. */
  idsOf(text: string): number[] {
    return this.tokenizer.encode(text).ids;
  }

  /** Test a text in all its readings under all public keys; throws MalformedText. */
  detect(text: string, { passages = false }: { passages?: boolean } = {}): Detection {
    const looked = this.look(text);
    const most = passages ? this.withScans(looked, this.scansOf(looked)) : mostOf(looked.judged);
    return this.detectionOf(most, looked.readings);
  }

  /** The verdict on the whole text beside its passages: asked for alone, these would decide the verdict. */
  detectWithPassages(text: string, shortest: number, marks = 1): Detection {
    const looked = this.look(text);
    const whole = this.detectionOf(mostOf(looked.judged), looked.readings, marks);
    if (whole.scored_tokens < shortest) return whole;
    const scans = this.scansOf(looked);
    if (!scans.flat().some((scan) => scan.isPromising(this.content.alpha))) return whole;
    const most = this.withScans(looked, scans);
    const passages = most.scan?.passages ?? [];
    return { ...whole, passages, ...(passages.length && most.message ? { message: readOf(most.message) } : {}) };
  }

  private look(text: string): Looked {
    const bad = loneSurrogate(text);
    if (bad >= 0) throw new MalformedText(`the text is not well-formed unicode: lone surrogate at unit ${bad}`);
    const readings = readingsOf(text).map((reading) => weighed(reading, this.tokenizer, this.hasher, this.weigher));
    const { keys } = this;
    const judged = keys.map((key): Keyed => {
      const each = readings.map((reading) => judge(coloured(reading, this.hasher, key.hex, this.encoder), this.content, keys.length, this.strangeIds, this.marked));
      return { ...bestReading(each), key };
    });
    return { judged, readings: readings.length };
  }

  private scansOf({ judged }: Looked): Scan[][] {
    const keys = judged.length;
    return judged.map((best) => scansOf(best, this.content.scoring, keys * timesOfWindows(best.logChoices)));
  }

  private withScans({ judged }: Looked, scans: readonly Scan[][]): Keyed {
    return mostOf(
      judged.map((best, n) => {
        const scan = scanned(best, scans[n]!, this.content.alpha);
        return scan ? { ...best, scan, verdict: scan.verdict } : best;
      }),
    );
  }

  private detectionOf(judged: Keyed, readings: number, marks = 1): Detection {
    const { evidence, score, scan } = judged;
    const { content } = this;
    const { id, published } = judged.key;
    const secret = content.keys[0]!.key === null;
    const caveat = caveatOf(content.strangeTable, judged.alike, secret, judged.chosen, judged.logChoices, this.strangeIds > 0);
    const scoredTokens = evidence.weights.length;
    const power = judged.power(marks);
    return {
      verdict: judged.verdict,
      p_value: judged.p,
      z: score.z,
      z_plain: score.zPlain,
      scored_tokens: scoredTokens,
      unique_pairs: evidence.pairs,
      green_fraction: scoredTokens ? evidence.green.filter(Boolean).length / scoredTokens : 0,
      threshold: content.alpha,
      caveat: published === undefined ? caveat : `${noteOf(id, published)}. ${caveat}`,
      reading: evidence.weighed.reading.name,
      readings,
      tokens: tokensOf(evidence),
      passages: scan?.passages ?? [],
      ...(power === undefined ? {} : { power }),
      ...(scan ? { window: scan.window } : {}),
      ...(judged.alike === undefined ? {} : { p_alike: judged.alike }),
      ...(judged.chosen === undefined ? {} : { p_chosen: judged.chosen }),
      ...(content.keys.length > 1 || published ? { tests: this.keys.length, key_id: id } : {}),
      ...(published === undefined ? {} : { published }),
      ...(judged.message && judged.verdict === "watermarked" ? { message: readOf(judged.message) } : {}),
    };
  }
}

function mostOf(judged: readonly Keyed[]): Keyed {
  return judged.reduce((a, b) => (saysMore(b, a) ? b : a));
}

/** Whether one key's judgement says more than another's: by its verdict, then by the p-value it rests on. */
function saysMore(one: Keyed, other: Keyed): boolean {
  const order = VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict);
  const p = (keyed: Keyed): number => keyed.scan?.window.p_value ?? decisive(keyed);
  return order < 0 || (order === 0 && isSmaller(p(one), p(other)));
}

function tokensOf(evidence: Evidence): TokenEvidence[] {
  const { encoded, reading, positions } = evidence.weighed;
  const tokens = encoded.ids.map((_, n): TokenEvidence => {
    const [start, end] = [encoded.starts[n]!, encoded.ends[n]!];
    return { text: reading.given.slice(start, end), start, end, green: null, score: null, weight: null };
  });
  positions.forEach((position, n) => {
    const token = tokens[position]!;
    token.green = evidence.green[n]!;
    token.score = evidence.signal[n]!;
    token.weight = evidence.weights[n]!;
  });
  return tokens;
}
