/** What verdicts say of whoever made a profile: on a page it is somebody else. */

/** The sentence that a verdict takes for granted, with the p-value of the text without the table. */
export function caveatOf(strangeTable: boolean, alike: number | undefined): string {
  if (!strangeTable) {
    return "the key of this profile was chosen by someone else: the p-value holds only if it was fixed before the text";
  }
  const caveat =
    "key and table of this profile were chosen by someone else: the p-value holds only if both were fixed before the text";
  if (alike === undefined) return caveat;
  return `${caveat}; with every token counted alike it is ${twoDigits(alike)}, and the larger counts`;
}

/** As Python's `f"{number:.2g}"`, of a number in (0, 1]. */
export function twoDigits(number: number): string {
  const [digits, power] = number.toExponential(1).split("e") as [string, string];
  const exponent = Number(power);
  if (exponent < -4) return `${digits.replace(".0", "")}e-${String(-exponent).padStart(2, "0")}`;
  return String(Number(number.toPrecision(2)));
}
