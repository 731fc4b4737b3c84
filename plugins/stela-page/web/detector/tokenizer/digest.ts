/** What tells a tokenizer from all others: a hash of its ids, merges, added tokens and steps (stela_core/text/tokenizer_digest.py). */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

type Fields = Record<string, unknown>;

/** What a ByteLevel decoder has and does not read. */
const OF_OFFSETS = ["add_prefix_space", "trim_offsets", "use_regex"];

/** The SHA-256, 64 hex digits, of what a tokenizer.json holds. */
export function digestOf(tokenizer: unknown): string {
  const content = tokenizer as Fields;
  const model = content["model"] as Fields;
  const added = ((content["added_tokens"] ?? []) as Fields[]).map((token) => optionsOf(token, []));
  const merges = ((model["merges"] ?? []) as (string | string[])[]).filter((merge) => typeof merge !== "string" || !merge.startsWith("#version"));
  const canonical = {
    added_tokens: added.sort((a, b) => (a["id"] as number) - (b["id"] as number)),
    decoder: stepOf(content["decoder"] ?? null, true),
    model: {
      merges: merges.map((merge) => (typeof merge === "string" ? merge.split(" ") : merge)),
      options: optionsOf(model, ["merges", "type", "vocab"]),
      type: model["type"] || "BPE",
      vocab: Object.entries(model["vocab"] as Record<string, number>).map(([token, id]) => [id, token] as const).sort((a, b) => a[0] - b[0]),
    },
    normalizer: stepOf(content["normalizer"] ?? null, false),
    pre_tokenizer: stepOf(content["pre_tokenizer"] ?? null, false),
  };
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(sorted(canonical)))));
}

function optionsOf(values: Fields, but: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !but.includes(name) && value !== null && value !== false && value !== ""));
}

function stepOf(step: unknown, ofDecoder: boolean): unknown {
  if (Array.isArray(step)) return step.map((one) => stepOf(one, ofDecoder));
  if (typeof step !== "object" || step === null) return step;
  const ignored = ofDecoder && (step as Fields)["type"] === "ByteLevel" ? OF_OFFSETS : ["trim_offsets"];
  return Object.fromEntries(Object.entries(step).filter(([name]) => !ignored.includes(name)).map(([name, value]) => [name, stepOf(value, ofDecoder)]));
}

/** The same with keys in order; lists of the vocabulary hold none. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 && typeof value[0] === "object" && !Array.isArray(value[0]) ? value.map(sorted) : value;
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Fields)[name])]));
}
