/** Canonical JSON (RFC 8785): what a signature is over. */

/** A parsed JSON value in the one way to write it.
 *
 * Names are sorted by their UTF-16 code units and strings and numbers written as ECMAScript writes them (3.2.2 and
 * 3.2.3), which is what `sort` and `JSON.stringify` do.
 *
 * @throws Error where a string holds half a character: such text has no UTF-8.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, one]) => `${canonical(name)}:${canonical(one)}`).join(",")}}`;
  }
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) throw new Error("half a character");
  return JSON.stringify(value);
}
