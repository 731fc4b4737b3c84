/** A module bundled by itself, as the text of a program (web/build.mjs). */
declare module "*?program" {
  const source: string;
  export default source;
}
