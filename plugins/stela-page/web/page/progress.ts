/** How far the looking for marks is. */

import { part } from "./elements";
import { filled } from "./filled";
import type { Words } from "./words";

/** How many marks were looked for, of how many. */
export interface Progress {
  readonly done: number;
  readonly all: number;
}

/** Shows it; nothing where nobody waits. `opening`: profiles are still made ready. */
export function showProgress(progress: Progress | null, opening: boolean, words: Words): void {
  part("progress").hidden = progress === null;
  if (progress === null) return;
  const { done, all } = progress;
  const bar = part<HTMLProgressElement>("bar");
  if (all > 1) [bar.max, bar.value] = [all, done];
  else bar.removeAttribute("value");
  const looking = all > 1 ? filled(words.detectingOf, { n: done + 1, all }) : words.detecting;
  part("step").textContent = opening ? words.opening : looking;
}
