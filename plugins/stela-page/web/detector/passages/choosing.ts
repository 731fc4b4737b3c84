/** Which passages of a text to name (stela_detection/search/passages.py): nothing here is a test. */

/** Numbers of the windows with the largest sum of gains among those that do not overlap, in order. */
export function bestApart(windows: readonly { start: number; end: number }[], gains: readonly number[]): number[] {
  const order = gains
    .map((_, n) => n)
    .filter((n) => gains[n]! > 0)
    .sort((a, b) => windows[a]!.end - windows[b]!.end);
  const ends = order.map((n) => windows[n]!.end);
  const before = order.map((n) => firstAbove(ends, windows[n]!.start));
  const sums = [0];
  order.forEach((n, place) => sums.push(Math.max(sums[place]!, sums[before[place]!]! + gains[n]!)));
  const chosen: number[] = [];
  for (let place = order.length; place; ) {
    if (sums[place]! > sums[place - 1]!) {
      chosen.push(order[place - 1]!);
      place = before[place - 1]!;
    } else {
      place--;
    }
  }
  return chosen.reverse();
}

/** Start, end and sum of the consecutive values with the largest sum; at least one value. */
export function densest(values: Float64Array): { start: number; end: number; total: number } {
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, n) => (sums[n + 1] = sums[n]! + value));
  let [end, most] = [1, -Infinity];
  let lowest = Infinity;
  for (let n = 0; n < values.length; n++) {
    lowest = Math.min(lowest, sums[n]!);
    if (sums[n + 1]! - lowest > most) [end, most] = [n + 1, sums[n + 1]! - lowest];
  }
  let start = end - 1;
  for (let n = end - 1; n >= 0; n--) if (sums[n]! < sums[start]!) start = n;
  return { start, end, total: sums[end]! - sums[start]! };
}

/** The first place of an ascending list whose value is above a number. */
export function firstAbove(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
