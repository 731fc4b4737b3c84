/** Ties of a discrete statistic, split by the order of the coins (stela_core/statistics/p_value.py). */

const NEGLIGIBLE = 1e-12;

/** Share of the arrangements of so many green coins that come no later than this one, in (0, 1]. */
export function shareAtLeast(colours: readonly boolean[]): number {
  let left = colours.length;
  let green = colours.filter(Boolean).length;
  let same = 1;
  let before = 0;
  for (const colour of colours) {
    if (green === 0 || green === left || same < NEGLIGIBLE) break;
    const chance = green / left;
    if (colour) {
      same *= chance;
      green--;
    } else {
      before += same * chance;
      same *= 1 - chance;
    }
    left--;
  }
  return Math.min(1, before + same);
}
