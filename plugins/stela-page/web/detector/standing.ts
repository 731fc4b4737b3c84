/** What verdicts say of whoever made a profile: on a page it is somebody else. */

/** What a verdict under a published key says (stela_core/profile/epochs.py). */
export function noteOf(keyId: string, published: string): string {
  return (
    `key ${keyId} was published on ${published}: from then on anyone could write text that carries its ` +
    "mark, so of a text first seen later the mark does not say whose it is"
  );
}

/**
 * The sentence that a verdict takes for granted, with the p-value of the text without the table, and times the number of
 * keys or rows of ids; `secret`: of the current key.
 */
export function caveatOf(
  strangeTable: boolean,
  alike: number | undefined,
  secret: boolean,
  chosen: number | undefined,
  logChoices: number,
  strangeTokenizer: boolean,
): string {
  let caveat = secret ? madeByOthers(strangeTable) : chosenByOthers(strangeTable);
  if (alike !== undefined) caveat += `; with every token counted alike it is ${twoDigits(alike)}, and the larger counts`;
  if (chosen === undefined) return caveat;
  const many = `1e${(logChoices / Math.LN10).toFixed(0)}`;
  const counts = `it is ${twoDigits(chosen)}, which counts`;
  if (!strangeTokenizer) return `${caveat}; this mark's keys are chosen part by part: times all ${many} ${counts}`;
  return (
    `${caveat}; its tokenizer is not known here and may have been made for this text: times all ${many} ways to cut and ` +
    `number it ${counts}; if you know who made the profile (stela profile verify says who signed it), ` +
    "stela profile trust takes the tokenizer as it is"
  );
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

function chosenByOthers(table: boolean): string {
  const [what, they] = table ? ["key and table of this profile were", "both were"] : ["the key of this profile was", "it was"];
  return `${what} chosen by someone else: the p-value holds only if ${they} fixed before the text, and so was the tokenizer`;
}

function madeByOthers(table: boolean): string {
  const [what, they] = table ? ["this profile and its table were", "they were"] : ["this profile was", "it was"];
  return (
    `${what} made by someone else: the p-value holds only if ${they} fixed before the text, or by ` +
    "someone who did not know the key"
  );
}
