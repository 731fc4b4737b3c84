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

/** As Python's `f"{number:.2g}"`, of a number in (0, 1]: of two numbers that are as near the even one. */
export function twoDigits(number: number): string {
  const [digits, power] = number.toExponential(30).split("e") as [string, string];
  let two = Number(digits[0]! + digits[2]!);
  const rest = digits.slice(3);
  const half = "5".padEnd(rest.length, "0");
  if (rest > half || (rest === half && two % 2 === 1)) two++;
  const exponent = Number(power) + (two === 100 ? 1 : 0);
  const short = two === 100 ? "1" : `${Math.floor(two / 10)}.${two % 10}`.replace(".0", "");
  if (exponent < -4) return `${short}e-${String(-exponent).padStart(2, "0")}`;
  return String(Number(`${short}e${exponent}`));
}
