/** What weighs the tokens of a profile's texts. */
import { IndeterminacyTable } from "./evidence/indeterminacy-table";
import { Likelihood } from "./evidence/likelihood";
import { TagWeights } from "./evidence/tag-weights";
import { ValueTable } from "./evidence/value-table";
import type { TokenWeigher, Weigher } from "./evidence/weigher";
import type { Profile } from "./profile";
import { taggerFile } from "./tagger/file";
import { Tagger } from "./tagger/tagger";
import { type ProfileFiles, UnsupportedProfile } from "./types";

/** Taggers by their files' bytes: what several profiles share is read once. */
const opened = new WeakMap<Uint8Array, Tagger>();

/** The weigher of a profile; undefined where all tokens count alike. */
export function weigherOf({ evidence, tags }: Profile, { table, tagger }: ProfileFiles): Weigher | TokenWeigher | undefined {
  if (evidence === "uniform") return undefined;
  if (evidence === "learned-text") return new ValueTable(table);
  if (evidence === "learned-likelihood") return new Likelihood(new ValueTable(table));
  if (!tags || !tagger) throw new UnsupportedProfile("the page holds no tagger");
  const known = opened.get(tagger) ?? new Tagger(taggerFile(tagger));
  opened.set(tagger, known);
  const { name, model, fingerprint } = known.identity;
  if (name !== tags.name || model !== tags.model || fingerprint !== tags.fingerprint) {
    throw new UnsupportedProfile(`the page's tagger is ${name} ${fingerprint}, not the profile's ${tags.name} ${tags.fingerprint}`);
  }
  return new TagWeights(known, new IndeterminacyTable(table), tags.k, tags.window, known.identity.unit);
}
