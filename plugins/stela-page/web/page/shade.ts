/** The text as the detector saw it: tokens shaded by side and weight, passages outlined.
 *
 * Colour is never alone: green tokens have a solid line below, thicker with more weight, red ones dots.
 */

import type { Passage, TokenEvidence } from "../detector/types";
import { element } from "./elements";
import { filled } from "./filled";
import type { Words } from "./words";

export const MOST = 4000;
/** Tokens shown at first: a page of a whole book would stop the browser. */

const STEPS = 4;
/** Shades of green. */

/** The text up to so many tokens, and whether that is all of it. */
export function shaded(
  text: string,
  tokens: readonly TokenEvidence[],
  passages: readonly Passage[],
  words: Words,
  most: number = MOST,
): { nodes: Node[]; whole: boolean } {
  const shown = tokens.slice(0, most);
  const whole = shown.length === tokens.length;
  const end = whole ? text.length : (shown.at(-1)?.end ?? 0);
  const top = tokens.reduce((largest, token) => Math.max(largest, token.weight ?? 0), 0) || 1;
  const nodes: Node[] = [];
  let at = 0;
  let next = 0;
  for (const passage of [...passages].sort((a, b) => a.start - b.start)) {
    const [start, stop] = [Math.min(Math.max(passage.start, at), end), Math.min(passage.end, end)];
    if (stop <= start) continue;
    next = pieces(nodes, text, shown, at, start, next, top, words);
    const inside: Node[] = [];
    next = pieces(inside, text, shown, start, stop, next, top, words);
    nodes.push(element("span", { class: "passage", title: words.legendPassage }, ...inside));
    at = stop;
  }
  pieces(nodes, text, shown, at, end, next, top, words);
  return { nodes, whole };
}

/** Adds the text from start to end; tokens that begin in it are shaded. Returns the first token after. */
function pieces(
  nodes: Node[],
  text: string,
  tokens: readonly TokenEvidence[],
  start: number,
  end: number,
  first: number,
  top: number,
  words: Words,
): number {
  let at = start;
  let next = first;
  for (; next < tokens.length; next += 1) {
    const token = tokens[next] as TokenEvidence;
    if (token.start >= end) break;
    // A character of several tokens is the first one's.
    const [from, to] = [Math.max(token.start, at), Math.min(token.end, end)];
    if (to <= from) continue;
    if (from > at) nodes.push(document.createTextNode(text.slice(at, from)));
    nodes.push(pieceOf(text.slice(from, to), token, top, words));
    at = to;
  }
  if (end > at) nodes.push(document.createTextNode(text.slice(at, end)));
  return next;
}

function pieceOf(text: string, token: TokenEvidence, top: number, words: Words): Node {
  const kind = classOf(token, top);
  if (kind === null) return element("span", { class: "uncounted" }, text);
  const said = [
    ...(token.green === null ? [] : [token.green ? words.green : words.red]),
    ...(token.weight === null ? [] : [filled(words.weight, { weight: token.weight.toFixed(2) })]),
    ...(token.score === null || token.green !== null ? [] : [filled(words.score, { score: token.score.toFixed(2) })]),
  ];
  return element("span", { class: kind, title: said.join(", ") }, text);
}

/** The class of a token, or null where it was not counted. */
export function classOf(token: TokenEvidence, top: number): string | null {
  if (token.weight === null || (token.green === null && token.score === null)) return null;
  // Marks that are no green lists: the score says how strongly the token speaks for the mark, 0 to 1.
  const share = token.weight / top;
  const strength = token.green === null ? (token.score ?? 0) * share : share;
  const green = token.green ?? (token.score ?? 0) > 0.5;
  if (!green) return "red";
  return `green green-${Math.min(STEPS, Math.max(1, Math.ceil(strength * STEPS)))}`;
}
