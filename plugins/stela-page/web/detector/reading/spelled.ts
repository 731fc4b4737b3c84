/** Values as Python writes them, so that a refusal reads here as it does at the command. */

const LONGEST = 60;
/** Characters of a value that a refusal repeats. */

/** The beginning of what `repr` says of a JSON value. */
export function spelled(value: unknown): string {
  return [...repr(value)].slice(0, LONGEST).join("");
}

function repr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return ofNumber(value);
  if (typeof value === "string") return ofString(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  return `{${Object.entries(value as object).map(([name, one]) => `${ofString(name)}: ${repr(one)}`).join(", ")}}`;
}

/** Whole numbers as integers: JSON's `8` and `8.0` are one number here. */
function ofNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  if (Number(exponent) >= -4) return String(value);
  return `${digits}e-${exponent.slice(1).padStart(2, "0")}`;
}

function ofString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const plain = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return quote + plain.replaceAll(/(?! )[\p{C}\p{Z}]/gu, escaped) + quote;
}

const SHORT: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);

function escaped(character: string): string {
  const point = character.codePointAt(0)!;
  const digits = point.toString(16);
  const wide = point < 0x100 ? `x${digits.padStart(2, "0")}` : point < 0x10000 ? `u${digits.padStart(4, "0")}` : `U${digits.padStart(8, "0")}`;
  return SHORT.get(character) ?? `\\${wide}`;
}
