/** Base64 of gzip back to text: what is large lies in the page in this form. */

/** The text that was packed.
 *
 * @throws Error where it is damaged.
 */
export async function unpacked(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
