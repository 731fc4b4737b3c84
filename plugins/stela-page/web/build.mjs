// Builds stela_page/built/ from the sources: page.js (the program of the page and of its worker),
// words.json (its words in other languages than English), en.json (its English words, for reports), service.js (what a service adds to it), pdf.js (what --pdf adds) and page.css.
// Equal sources give equal bytes; `make page-check` compares.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, "stela_page", "built");
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome105", "firefox113", "safari16.4"],
  charset: "ascii", // the bytes that the policy's hash is of, in whatever encoding
  legalComments: "none", // NOTICE names what is inside
  logLevel: "warning",
};

/** The page's words in the other languages, as one JSON file: values in the order of the English ones. */
function otherWords() {
  const folder = join(root, "web", "words");
  const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const names = readdirSync(folder).filter((name) => name !== "en.json").sort();
  const words = names.map((name) => [name.replace(".json", ""), valuesOf(read(name), read("en.json"))]);
  return JSON.stringify(Object.fromEntries(words));
}

/** Values without their names; the page knows them by the English words (`named` in web/page/words.ts). */
function valuesOf(words, english) {
  const isGroup = (said) => typeof said === "object" && !("other" in said);
  return Object.entries(english).map(([name, said]) => (isGroup(said) ? valuesOf(words[name], said) : words[name]));
}

mkdirSync(built, { recursive: true });
writeFileSync(join(built, "words.json"), otherWords());
copyFileSync(join(root, "web", "words", "en.json"), join(built, "en.json")); // what the report of stela detect --html says
await build({ ...common, entryPoints: ["web/page/program.ts"], outfile: join(built, "page.js") });
await build({ ...common, entryPoints: ["web/page/service.ts"], outfile: join(built, "service.js") });
await build({
  ...common,
  entryPoints: ["web/page/pdf/program.ts"],
  outfile: join(built, "pdf.js"),
  define: { "import.meta.url": '""' }, // there are no files beside it
});
await build({ ...common, entryPoints: ["web/page/page.css"], outfile: join(built, "page.css") });
