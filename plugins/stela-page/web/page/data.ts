/** The marks that the page looks for: profiles that lie in it, in elements that a browser neither runs nor shows, and
 * those that only a service can test for. */

import type { ProfileSummary } from "../detector/types";
import type { Signature } from "../signing/profile-signature";
import type { Packed } from "./messages";

/** A mark that the service is asked for: its key is secret, or it needs what no browser has. */
export interface There extends ProfileSummary {
  /** The profile's name at the service. */
  asked: string;
  /** Whether it tells colours of tokens. */
  tokens: boolean;
  /** As the service says. */
  signature: Signature;
}

export type Mark = Packed | There;

/** Whether the text stays in the page when this mark is looked for. */
export function isHere(mark: Mark): mark is Packed {
  return "content" in mark;
}

/** All marks of the page; of those that lie in it, large parts are listed as ids of the elements with them. */
export function marksOf(page: Document): Mark[] {
  const listed = JSON.parse(contentOf(page, "profiles")) as Mark[];
  return listed.map((one) =>
    isHere(one)
      ? {
          ...one,
          tokenizer: contentOf(page, one.tokenizer),
          table: one.table === null ? null : contentOf(page, one.table),
          ...(one.tagger === undefined ? {} : { tagger: contentOf(page, one.tagger) }),
        }
      : one,
  );
}

/** What an element of data holds. */
export function contentOf(page: Document, id: string): string {
  const held = page.getElementById(id)?.textContent;
  if (held === undefined || held === null) throw new Error(`the page holds no "${id}"`);
  return held;
}

/** Licences of the taggers that lie in the page, with those taggers' names. */
export function licencesOf(marks: readonly Mark[]): ReadonlyMap<string, readonly string[]> {
  const licences = new Map<string, string[]>();
  for (const mark of marks) {
    if (!isHere(mark) || mark.tagger_terms === undefined) continue;
    const { name, license } = mark.tagger_terms;
    const names = licences.get(license) ?? [];
    if (!names.includes(name)) licences.set(license, [...names, name]);
  }
  return licences;
}

interface Favouring {
  name?: string;
  gamma?: unknown;
  parameters?: { depth?: unknown; layers?: unknown };
}

/** Share of tokens that a profile's key favours by chance, where it is known. */
export function gammaOf(mark: Mark): number | undefined {
  if (!isHere(mark)) return undefined;
  const { name, gamma, parameters = {} } = (JSON.parse(mark.content) as { hasher?: Favouring }).hasher ?? {};
  if (typeof gamma === "number") return gamma;
  if (name === "gumbel") return 0.5;
  if (name !== "synthid") return undefined;
  // A token is favoured where more than half of its layers are. Of an even number of equal ones, half may be.
  const { depth = 30, layers } = parameters;
  if (layers !== "mean" || typeof depth !== "number" || depth % 2 === 1) return 0.5;
  let tie = 1;
  for (let n = 1; n <= depth / 2; n++) tie *= (depth / 2 + n) / n / 4;
  return (1 - tie) / 2;
}
