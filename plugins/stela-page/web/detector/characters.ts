/** Sets of characters as the bodies of classes in regular expressions. */

/** The body of a class `[...]` (flag u) from ranges as scripts/write_tables.py writes them. */
export function classBody(ranges: string): string {
  let body = "";
  let at = 0;
  for (const item of ranges.split(",")) {
    const [range, times] = item.split("*");
    const [gap, more] = range!.split(".");
    for (let n = times ? parseInt(times, 36) : 1; n > 0; n--) {
      const start = at + parseInt(gap!, 36);
      at = start + (more ? parseInt(more, 36) : 0);
      body += at > start ? `${escaped(start)}-${escaped(at)}` : escaped(start);
    }
  }
  return body;
}

const HIGH = /[\ud800-\udbff]/;

/** How many code points a string has. */
export function codePoints(text: string): number {
  let count = text.length;
  if (!HIGH.test(text)) return count; // of a text in one byte a character the browser knows it at once
  for (let n = 0; n < text.length; n++) if (isHighAt(text, n)) count--;
  return count;
}

/** Where the last `count` code points of a string begin; 0 where it has fewer. */
export function lastCodePoints(text: string, count: number): number {
  let at = text.length;
  for (; count > 0 && at > 0; count--) at -= at > 1 && isHighAt(text, at - 2) ? 2 : 1;
  return at;
}

/** Where the first lone surrogate is, or -1. */
export function loneSurrogate(text: string): number {
  return text.search(/[\ud800-\udfff]/u);
}

function isHighAt(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1);
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;
}

function escaped(point: number): string {
  return `\\u{${point.toString(16)}}`;
}
