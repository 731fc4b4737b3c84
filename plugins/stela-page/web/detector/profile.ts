/** A profile.json, as far as detection reads it. */
import type { HasherPart } from "./hashers";
import type { Repeats, Scoring } from "./statistics/grouped";
import { SHIPPED_TABLES } from "./tables/shipped";
import { UnsupportedProfile } from "./types";

/** A key of the profile. */
export interface Key {
  readonly id: string;
  readonly hex: string;
  /** The day on which a secret key was published, as YYYY-MM-DD. */
  readonly published: string | undefined;
}

/** What detection needs to know. */
export interface Profile {
  readonly scheme: string;
  readonly evidence: EvidenceKind;
  /** Who gives the tags that the evidence is weighed by. */
  readonly tags: TagsPart | undefined;
  readonly scoring: Scoring;
  readonly hasher: HasherPart;
  /** Those that are public, the youngest first. */
  readonly keys: readonly Key[];
  /** Whether the current key is none of them. */
  readonly keyIsSecret: boolean;
  /** How many more are secret: texts are not tested for them. */
  readonly secretKeys: number;
  readonly language: string | null;
  readonly minTokens: number;
  readonly alpha: number;
  /** Whether the weights come from a table that no plugin of STELA ships. */
  readonly strangeTable: boolean;
}

/** What evidence is weighed by: nothing, the text before a token, or the tags there. */
export type EvidenceKind = "uniform" | "learned-text" | "stela";

/** What a profile says of tags. */
export interface TagsPart {
  readonly name: string;
  readonly model: string;
  readonly fingerprint: string;
  /** Length of the n-grams: the last k - 1 tags weigh a token. */
  readonly k: number;
  /** Units before a token that are tagged. */
  readonly window: number;
}

/** Taggers, by name and model, whose tags are the same here. */
const TAGGERS = ["penn:shipped", "ud-spacy:en", "ud-spacy:ko", "ud-spacy:zh"];

/** What the evidence of a scheme is weighed by; a weighting's name is a scheme with it on both sides. */
export const EVIDENCE: Readonly<Record<string, EvidenceKind>> = {
  uniform: "uniform",
  kgw: "uniform",
  morphmark: "uniform",
  unigram: "uniform",
  gumbel: "uniform",
  "gumbel-vllm": "uniform",
  "gumbel-vllm-dual": "uniform",
  "gumbel-sglang": "uniform",
  synthid: "uniform",
  "learned-text": "learned-text",
  stela: "stela",
};

interface KeyPart {
  key?: string | null;
  key_id: string | null;
  published?: string | null;
}

interface Content {
  format?: string;
  scheme: { name: string; parameters?: Record<string, unknown> };
  hasher: HasherPart & {
    key?: string | null;
    key_id: string | null;
    device?: string | null;
    published?: string | null;
    earlier_keys?: KeyPart[];
  };
  language?: string | null;
  min_tokens?: number;
  alpha?: number;
  table_sha256?: string | null;
  tagger?: { name: string; model: string; fingerprint: string } | null;
  k?: number | null;
  window?: number | null;
}

/** Read a profile.json that Python has checked; throws UnsupportedProfile where it needs more than is here. */
export function profileOf(parsed: unknown): Profile {
  const content = parsed as Content;
  if (content.format !== "stela-profile/1") {
    throw new UnsupportedProfile(`the profile has format ${String(content.format)}; this page reads stela-profile/1`);
  }
  const { hasher } = content;
  const all: KeyPart[] = [hasher, ...(hasher.earlier_keys ?? [])];
  const keys = all.flatMap(({ key, key_id, published }) =>
    key ? [{ id: key_id ?? "", hex: key, published: published ?? undefined }] : [],
  );
  // As in Python (key_set.py): where a key was published, those at hand will do.
  if (!keys.length || (!hasher.key && !keys.some((key) => key.published))) {
    throw new UnsupportedProfile("the profile's key is secret: a service that has it can test texts (stela serve)");
  }
  if (hasher.device) throw new UnsupportedProfile("the profile's green lists are drawn by a device");
  const evidence = evidenceOf(content.scheme.name);
  return {
    scheme: content.scheme.name,
    evidence,
    tags: evidence === "stela" ? tagsOf(content) : undefined,
    scoring: scoringOf(content.scheme.parameters ?? {}),
    hasher,
    keys,
    keyIsSecret: !hasher.key,
    secretKeys: all.length - keys.length,
    language: content.language ?? null,
    minTokens: content.min_tokens ?? 16,
    alpha: content.alpha ?? 1e-3,
    strangeTable: content.table_sha256 != null && !SHIPPED_TABLES.includes(content.table_sha256),
  };
}

function tagsOf({ tagger, k, window }: Content): TagsPart {
  if (!tagger || !k || !window || !TAGGERS.includes(`${tagger.name}:${tagger.model}`)) {
    throw new UnsupportedProfile(
      `the mark's tagger "${tagger?.name ?? "none"}" does not run in the browser: a service can test texts for it (stela serve)`,
    );
  }
  return { ...tagger, k, window };
}

function evidenceOf(scheme: string): EvidenceKind {
  const parts = scheme.split("+");
  const evidence = EVIDENCE[parts[parts.length - 1]!];
  if (parts.length > 2 || !evidence || !EVIDENCE[parts[0]!]) {
    throw new UnsupportedProfile(`scheme "${scheme}" does not run in the browser: a service can test texts for it (stela serve)`);
  }
  return evidence;
}

/** A profile that names no rule was made before there were any. */
function scoringOf(parameters: Record<string, unknown>): Scoring {
  const repeats = (parameters["repeats"] ?? "sum") as Repeats;
  const ties = (parameters["ties"] ?? "whole") as Scoring["ties"];
  if (!["sum", "root", "fourth-root", "mean"].includes(repeats) || !["split", "whole"].includes(ties)) {
    throw new UnsupportedProfile("the profile's rules for repeats and ties are not known here");
  }
  return { repeats, ties };
}
