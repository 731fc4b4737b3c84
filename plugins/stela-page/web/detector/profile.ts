/** A profile.json, as far as detection reads it. */
import type { HasherPart } from "./hashers";
import type { MessagesPart } from "./messages/encoder";
import { digitsOfBits, isWhole, symbolsOfBits } from "./messages/reed-solomon";
import { orderProblem } from "./reading/days";
import type { KeyPart } from "./reading/keys";
import { checkTable, ENCODER_PARTS, HASHER_PARTS, inWords, parametersOf, PROFILE, SCHEME_PARTS, type SchemePart } from "./reading/parts";
import { Checker, type Fields } from "./reading/schema";
import type { Scoring } from "./statistics/grouped";
import { SHIPPED_TABLES } from "./tables/shipped";
import { InvalidProfile, UnsupportedProfile } from "./types";

/** What detection needs to know. */
export interface Profile {
  readonly scheme: string;
  readonly evidence: EvidenceKind;
  /** Who gives the tags that the evidence is weighed by. */
  readonly tags: TagsPart | undefined;
  readonly scoring: Scoring;
  readonly hasher: HasherPart;
  /** What is said of each key, the current one first. */
  readonly keys: readonly KeyPart[];
  /** Ids that models have logits for. */
  readonly vocabSize: number;
  readonly language: string | null;
  readonly minTokens: number;
  readonly alpha: number;
  /** Whether the weights come from a table that no plugin of STELA ships. */
  readonly strangeTable: boolean;
  /** Where marks carry messages. */
  readonly messages: MessagesPart | undefined;
  /** Refuse the table that lies beside the profile where it is not one that its weightings read. */
  readonly checkTable: (table: unknown) => void;
}

/** What evidence is weighed by: nothing, the text before a token, the token as well, or the tags before it. */
export type EvidenceKind = "uniform" | "learned-text" | "learned-likelihood" | "stela";

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

/** Taggers, by name and model, whose tags are the same here: those of the library stela-causal. */
const TAGGERS = ["penn:causal", "ctb:causal", "sejong:causal", ...["ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi"].map((language) => `${language}:shipped`)];

/** What the evidence of a scheme is weighed by; a weighting's name is a scheme with it on both sides. */
export const EVIDENCE: ReadonlyMap<string, EvidenceKind> = new Map(Object.entries<EvidenceKind>({
  uniform: "uniform",
  kgw: "uniform",
  morphmark: "uniform",
  unigram: "uniform",
  gumbel: "uniform",
  "gumbel-vllm": "uniform",
  "gumbel-vllm-dual": "uniform",
  "gumbel-sglang": "uniform",
  synthid: "uniform",
  pf: "uniform",
  coupling: "uniform",
  textgrain: "uniform",
  "learned-text": "learned-text",
  "learned-likelihood": "learned-likelihood",
  stela: "stela",
}));

/** A profile.json that follows its schema: what it leaves out is filled in. */
export interface Content {
  readonly created_with: string;
  readonly language: string | null;
  readonly scheme: { readonly name: string; readonly parameters: Fields };
  readonly hasher: KeyPart & {
    readonly name: string;
    readonly gamma: number | null;
    readonly context_width: number;
    readonly parameters: Fields;
    readonly device: string | null;
    readonly earlier_keys: readonly KeyPart[];
  };
  readonly tagger: { readonly name: string; readonly model: string; readonly fingerprint: string } | null;
  readonly k: number | null;
  readonly window: number | null;
  readonly tokenizer_sha256: string;
  readonly table_sha256: string | null;
  readonly vocab_size: number;
  readonly min_tokens: number;
  readonly alpha: number;
  readonly message: { readonly code: string; readonly bits: number; readonly parameters: Fields } | null;
}

const published = ({ key, published: day }: Fields): string | null =>
  day && !key ? "a key is called published and is not there" : null;
const CHECKER = new Checker(
  PROFILE,
  new Map([
    ["KeyPart", published],
    ["HasherPart", (hasher) => orderProblem([hasher, ...(hasher["earlier_keys"] as Fields[])]) ?? published(hasher)],
  ]),
);

/** What a profile.json says, by its schema alone; throws InvalidProfile. */
export function contentOf(parsed: unknown): Content {
  return inWords(() => CHECKER.checked(parsed) as Content, "the profile is not valid: ");
}

/** What detection needs of a profile.json; its keys' names are not worked out yet.
 *
 * @throws InvalidProfile where `stela detect` refuses it, UnsupportedProfile where it needs more than is here.
 */
export function profileOf(parsed: unknown): Profile {
  const content = contentOf(parsed);
  const { hasher, scheme } = content;
  const { strength, evidence, kind } = sidesOf(scheme.name);
  const hasherPart = HASHER_PARTS.get(hasher.name);
  if (!hasherPart) throw new UnsupportedProfile(`the mark's hasher "${hasher.name}" does not run in the browser`);
  if (hasher.device !== null) throw new UnsupportedProfile("the profile's green lists are drawn by a device");
  const given = { ...hasher.parameters, context_width: hasher.context_width, ...(hasher.gamma === null ? {} : { gamma: hasher.gamma }) };
  const drawn = parametersOf(hasherPart, given, `hasher "${hasher.name}"`);
  const owner = `scheme "${scheme.name}"`;
  if (strength.strength.token) {
    throw new InvalidProfile(`${owner}: weighting "${strength.strength.name}" looks at the token itself, which is not chosen yet when a mark is made`);
  }
  if (hasherPart.samples !== strength.samples) {
    const does = hasherPart.samples ? "chooses tokens" : "splits the vocabulary";
    throw new InvalidProfile(`${owner} does not go together with hasher "${hasher.name}", which ${does}`);
  }
  const scoring = parametersOf(strength, { ...strength.before, ...scheme.parameters }, owner);
  return {
    scheme: scheme.name,
    evidence: kind,
    tags: kind === "stela" ? tagsOf(content) : undefined,
    scoring: scoring as unknown as Scoring,
    hasher: {
      name: hasher.name,
      gamma: (drawn["gamma"] as number | undefined) ?? null,
      context_width: drawn["context_width"] as number,
      parameters: drawn,
    },
    keys: [hasher, ...hasher.earlier_keys],
    vocabSize: content.vocab_size,
    language: content.language,
    minTokens: content.min_tokens,
    alpha: content.alpha,
    messages: content.message ? messagesOf(content.message, hasher.name, drawn["context_width"] as number) : undefined,
    strangeTable: content.table_sha256 !== null && !SHIPPED_TABLES.includes(inBase64(content.table_sha256.slice(0, 24))),
    checkTable: (table) => {
      if ((table === null) !== (content.table_sha256 === null)) throw new InvalidProfile("the profile's table is not the one that it names");
      for (const weighting of [strength.strength, evidence.evidence]) checkTable(weighting, table, owner);
    },
  };
}

function inBase64(hex: string): string {
  return btoa(hex.replace(/../g, (digits) => String.fromCharCode(parseInt(digits, 16))));
}

function tagsOf({ tagger, k, window }: Content): TagsPart {
  if (!tagger || !k || !window || !TAGGERS.includes(`${tagger.name}:${tagger.model}`)) {
    throw new UnsupportedProfile(
      `the mark's tagger "${tagger ? `${tagger.name}:${tagger.model}` : "none"}" does not run in the browser: test texts with stela detect`,
    );
  }
  return { ...tagger, k, window };
}

/** Hashers whose seeds a message can change. */
const MIXING = ["keyed", "unigram", "gumbel"];

function messagesOf({ code, bits, parameters }: NonNullable<Content["message"]>, hasher: string, width: number): MessagesPart {
  const part = ENCODER_PARTS.get(code);
  if (!part) throw new UnsupportedProfile(`messages of code "${code}" are not read in the browser: a service can read them (stela serve)`);
  const owner = `encoder "${code}"`;
  const checked = parametersOf(part, { ...part.before, ...parameters, bits }, owner);
  if (!isWhole(bits)) throw new InvalidProfile(`${owner}: bits: value error, give 1 to 16, or a multiple of 8 up to 64 (got ${bits})`);
  if (!MIXING.includes(hasher)) throw new UnsupportedProfile(`a message in marks of hasher "${hasher}" is not read in the browser`);
  if (width < 1) throw new InvalidProfile(`hasher "${hasher}" with context width ${width} carries no message`);
  // A message of one symbol is written as it was before there were codes.
  const isSymbol = digitsOfBits(bits) === 1 && checked["n"] === 0 && checked["k"] === 0;
  const [n, k] = isSymbol ? [1, 1] : ([checked["n"], checked["k"]] as [number, number]);
  checkCode(owner, bits, "n", n, symbolsOfBits(bits));
  checkCode(owner, bits, "k", k, [digitsOfBits(bits), digitsOfBits(bits)]);
  return { bits, mostError: checked["most_error"] as number, n, k };
}

function checkCode(owner: string, bits: number, name: string, number: number, [least, most]: readonly [number, number]): void {
  const problem =
    number === 0
      ? "messages in a ring of bytes are not read: make the profile anew"
      : number < least || number > most
        ? `messages of ${bits} bits have ${least}${most > least ? ` to ${most}` : ""}`
        : null;
  if (problem !== null) throw new InvalidProfile(`${owner}: ${name}: value error, ${problem} (got ${number})`);
}

/** The scheme that inserts, and the one that evidence is weighed as in: one or two that are known here. */
function sidesOf(scheme: string): { strength: SchemePart; evidence: SchemePart; kind: EvidenceKind } {
  const parts = scheme.split("+");
  const [first, last] = [parts[0]!, parts[parts.length - 1]!];
  const [strength, evidence, kind] = [SCHEME_PARTS.get(first), SCHEME_PARTS.get(last), EVIDENCE.get(last)];
  if (parts.length > 2 || !strength || !evidence || !kind) {
    throw new UnsupportedProfile(`scheme "${scheme}" does not run in the browser: a service can test texts for it (stela serve)`);
  }
  return { strength, evidence, kind };
}
