/** What tests of time have in common. */

/** Milliseconds of this process's own time. */
export function cpu(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/** Text of so many characters in which little is repeated. */
export function prose(length: number): string {
  const words: string[] = [];
  for (let n = 1, size = 0; size < length; n++) {
    const word = ((n * 2654435761) % 4294967296).toString(36).replace(/\d/g, "e");
    words.push(word);
    size += word.length + 1;
  }
  return words.join(" ").slice(0, length);
}
