/** What the detector takes and gives; names and words follow `stela detect --json --tokens`. */

/** What is known of texts that carry a mark: one of the two, or nothing. */
export interface Marked {
  /** Of marks that choose tokens, as the model's texts show them: mean, deviations of tokens and of texts, the null's skewness. */
  gains?: readonly [number, number, number, number];
  /** Of green lists that raise all tokens alike: bias in nats, then mean and deviation of its texts' freedom. */
  freedom?: readonly [number, number, number];
}

/** The parsed files of a profile: profile.json, tokenizer.json, the scheme's table (or null); its tagger's bytes where it has one. */
export interface ProfileFiles extends Marked {
  profile: unknown;
  tokenizer: unknown;
  table: unknown | null;
  tagger?: Uint8Array | null;
  name: string;
  sha256: string;
  /** Whether whoever made the page knows the tokenizer: it was there before the profile. */
  tokenizer_known?: boolean | undefined;
}

/** One token: start and end are UTF-16 offsets in the text as pasted; nulls where it was not scored. */
export interface TokenEvidence {
  text: string;
  start: number;
  end: number;
  green: boolean | null;
  score: number | null;
  weight: number | null;
}

/** A stretch of the text that looks marked, with its p-value. */
export interface Passage {
  start: number;
  end: number;
  p_value: number;
  /** Where marks carry a message: what is sure of it there, for all windows at once. */
  message?: ReadMessage;
}

/** What a text looks to say, of marks that carry a message. */
export interface ReadMessage {
  /** `?` where a digit is not sure. */
  hex: string;
  bits: number;
  /** Whether all of it is. */
  sure: boolean;
  /** A bound on the probability of naming another message than the one in the text. */
  error: number;
  /** Of each digit, a bound on the probability that it is wrong; a service does not tell them. */
  errors?: number[];
  /** Bound up to which a digit is sure. */
  most_error?: number;
  /** Whether it is withheld because parts of the text name different messages. */
  mixed?: boolean;
}

/** The answer for one text. */
export interface Detection {
  verdict: "watermarked" | "no watermark found" | "insufficient text";
  p_value: number | null;
  z: number | null;
  z_plain: number | null;
  scored_tokens: number;
  unique_pairs: number;
  green_fraction: number | null;
  threshold: number;
  caveat: string | null;
  reading: string;
  readings: number;
  tokens: TokenEvidence[];
  /** Where passages were asked for: the parts that look marked at the threshold. */
  passages: Passage[];
  /** Where passages were asked for: what looks marked most; the verdict then rests on its p-value. */
  window?: Passage;
  /** Where the profile's table is not one that STELA ships: p with every token counted alike; the larger counts. */
  p_alike?: number;
  /** Where the mark's keys are chosen part by part: p times the number of keys, on which the verdict rests. */
  p_chosen?: number;
  /** Where the profile has several keys, or a published one: how many were tested, and which one's mark this is about. */
  tests?: number;
  key_id?: string;
  /** About how often a marked text like this one is found, where that can be told. */
  power?: number;
  /** The day on which that key was published, if it was. */
  published?: string;
  /** Where marks carry a message and one was found. */
  message?: ReadMessage;
}

/** A profile opened for detection. */
export interface Detector {
  readonly name: string;
  readonly profile: ProfileSummary;
  detect(text: string, options?: { passages?: boolean }): Detection;
  /** The verdict on the whole text, and its passages where it has at least so many scored tokens; `marks` are looked for. */
  detectWithPassages(text: string, shortest: number, marks?: number): Detection;
}

/** What a page says about a profile. */
export interface ProfileSummary {
  name: string;
  scheme: string;
  language: string | null;
  key_id: string;
  /** How many further keys are secret, and not tested for. */
  secret_keys?: number;
  sha256: string;
}

/** The profile needs something this detector cannot reproduce exactly. */
export class UnsupportedProfile extends Error {}

/** The profile is none, or says what `stela detect` refuses. */
export class InvalidProfile extends UnsupportedProfile {}

/** The text is not well-formed unicode: it cannot be tested. */
export class MalformedText extends Error {}
