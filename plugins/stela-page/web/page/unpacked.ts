/** Base64 of gzip back to bytes: what is large lies in the page in this form. */

/** The bytes that were packed.
 *
 * @throws Error where it is damaged.
 */
export async function unpacked(packed: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
