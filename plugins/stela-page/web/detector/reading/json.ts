/** The JSON text of a stranger, by the bounds of `stela_core/files/json_shape.py`. */
import { InvalidProfile } from "../types";

const DEEPEST = 16;
const MOST_VALUES = 100_000;
const LONGEST_STRING = 1 << 20;
const LONGEST_NUMBER = 64;
/** Digits. */
const STRING = /"(?:[^"\\]|\\.)*"/gs;

/** The value of a profile.json.
 *
 * Its objects are made by `JSON.parse`: a name such as `__proto__` is a field of theirs like any other, but they are
 * asked for none by a name that is not their own (`fieldOf`).
 *
 * @throws InvalidProfile
 */
export function parsedProfile(text: string): unknown {
  const excess = excessOf(text);
  if (excess !== null) throw new InvalidProfile(`the profile is ${excess}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidProfile("the profile is not JSON");
  }
  if (!isWellFormed(value)) throw new InvalidProfile("the profile is not JSON: it holds half a character");
  return value;
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of an object's own; what every object has beside is none. */
export function fieldOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function excessOf(text: string): string | null {
  let longest = 0;
  const bare = text.replace(STRING, (one) => {
    longest = Math.max(longest, one.length - 2);
    return '""';
  });
  if (longest > LONGEST_STRING) return "holding a string of more than 1 MiB";
  if (new RegExp(`\\d{${LONGEST_NUMBER + 1}}`).test(bare)) return `holding a number of more than ${LONGEST_NUMBER} digits`;
  let depth = 0;
  let values = 0;
  for (const mark of bare) {
    if (mark === "[" || mark === "{") {
      depth += 1;
      if (depth > DEEPEST) return `nested deeper than ${DEEPEST}`;
    } else if (mark === "]" || mark === "}") depth -= 1;
    values += mark === "{" ? 3 : mark === '"' ? 0.5 : "[,:".includes(mark) ? 1 : 0;
  }
  return values > MOST_VALUES ? `holding more than ${MOST_VALUES.toLocaleString("en")} values` : null;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isObject(value) || Object.entries(value).every((pair) => pair.every(isWellFormed));
}
