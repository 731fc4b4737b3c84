/** The kinds of files that are read, as the page says them. */

/** The last kind once more, as .pdf: with the comma of the language, and what keeps it from turning. */
export function withPdf(kinds: string): string {
  return kinds.replace(/([,،、] ?)(\u2066?)\.docx(\u2069?)$/, "$&$1$2.pdf$3");
}
