/** Days of keys' epochs (stela_core/profile/epochs.py). Written as ISO 8601, they sort as days do. */
import type { Fields } from "./schema";

const FORM = /^(\d{4})-(\d{2})-(\d{2})$/;
const [FIRST, LAST] = [2000, 2999];

/** Why a value is not a day; null where it is one. */
export function dayProblem(value: unknown): string | null {
  const parts = typeof value === "string" ? FORM.exec(value) : null;
  if (parts === null) return "value error, a day is written as in 2026-11-22";
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12) return "value error, month must be in 1..12";
  // Day 0 of the next month is the last of this one; years below 100 would be taken for the last century's.
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (day < 1 || day > last) return "value error, day is out of range for month";
  return year < FIRST || year > LAST ? `value error, the year ${year} is not between ${FIRST} and ${LAST}` : null;
}

/** Why epochs overlap, are empty, or stand in another order than the keys, youngest first; null where they do not. */
export function orderProblem(keys: readonly Fields[]): string | null {
  let latest: string | null = null;
  for (const key of [...keys].reverse()) {
    const [since, until] = [key["since"], key["until"]] as (string | null)[];
    if (since && until && since >= until) return `the epoch since ${since} until ${until} has no day`;
    for (const bound of [since, until]) {
      if (bound && latest && bound < latest) return `epochs overlap: one has the bound ${bound}, an earlier one ${latest}`;
      latest = bound || latest;
    }
  }
  return null;
}
