/** The profiles that lie in the page, in elements that a browser neither runs nor shows. */

import type { Packed } from "./messages";

interface Listed {
  name: string;
  sha256: string;
  profile: unknown;
  /** Ids of the elements that hold the packed files. */
  tokenizer: string;
  table: string | null;
}

/** All profiles of the page, their large parts still packed. */
export function profilesOf(page: Document): Packed[] {
  const listed = JSON.parse(contentOf(page, "profiles")) as Listed[];
  return listed.map((one) => ({
    ...one,
    tokenizer: contentOf(page, one.tokenizer),
    table: one.table === null ? null : contentOf(page, one.table),
  }));
}

function contentOf(page: Document, id: string): string {
  const held = page.getElementById(id)?.textContent;
  if (held === undefined || held === null) throw new Error(`the page holds no "${id}"`);
  return held;
}

/** Share of tokens that a profile's key favours, where its mark is a green list. */
export function gammaOf({ profile }: Packed): number | undefined {
  const gamma = (profile as { hasher?: { gamma?: unknown } }).hasher?.gamma;
  return typeof gamma === "number" ? gamma : undefined;
}
