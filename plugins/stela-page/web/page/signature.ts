/** What a profile's signature says in plain words: who holds a key, not who somebody is. */

import type { Signature } from "../signing/profile-signature";
import { element } from "./elements";
import { filled } from "./filled";
import type { Words } from "./words";

type Row = [string, Node | string];

/** What the page says of itself: the maker's own word for its name, the key, and whether the signature holds. */
export function signatureRows(signature: Signature, words: Words): Row[] {
  if (signature.state === "none") return [[words.signature, words.signatureNone]];
  if (signature.state === "broken") {
    return [[words.signature, element("span", { class: "problem" }, words.signatureBroken)]];
  }
  const { key, maker, time } = signature;
  const named: Row[] =
    maker === null ? [] : [[words.maker, element("span", {}, bidi(maker), ` – ${words.makerClaims}`)]];
  return [
    ...named,
    [words.signature, element("span", {}, words.signatureHolds, " ", filled(words.signed, { time }))],
    [words.signer, element("code", {}, key)],
  ];
}

/** The same in one line, beside a result. */
export function makerRow(signature: Signature, words: Words): Row {
  if (signature.state === "none") return [words.maker, words.makerNone];
  if (signature.state === "broken") {
    return [words.maker, element("span", { class: "problem" }, words.signatureBroken)];
  }
  const { key, maker } = signature;
  const who = maker === null ? element("code", {}, key) : bidi(maker);
  return [words.maker, element("span", {}, who, ` – ${maker === null ? words.signatureHolds : words.makerHolds}`)];
}

/** A stranger's word, kept from turning the direction of what stands beside it. */
export function bidi(name: string): HTMLElement {
  return element("bdi", {}, name);
}
