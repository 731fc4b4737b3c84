// Builds stela_page/built/ from the sources: page.js (the program of the page and of its worker),
// words.json (its words in each language), en.json (its English words, for reports), service.js (what a service adds to it), pdf.js (what --pdf adds) and page.css.
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

/** The page's words, as one JSON file: the English ones, and of the others the values in their order. */
function allWords() {
  const folder = join(root, "web", "words");
  const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const english = read("en.json");
  const others = readdirSync(folder)
    .filter((name) => name !== "en.json")
    .sort()
    .map((name) => [name.replace(".json", ""), valuesOf(read(name), english)]);
  // By bytes a letter: gzip looks back 32 kB, where it should find an alphabet that is alike.
  const wide = ([, values]) => Buffer.byteLength(JSON.stringify(values)) / JSON.stringify(values).length;
  others.sort((one, other) => wide(one) - wide(other));
  return JSON.stringify({ en: english, ...Object.fromEntries(others) });
}

/** Values without their names; the page knows them by the English words (`named` in web/page/words.ts). */
function valuesOf(words, english) {
  const isGroup = (said) => typeof said === "object" && !("other" in said);
  return Object.entries(english).map(([name, said]) => (isGroup(said) ? valuesOf(words[name], said) : words[name]));
}

mkdirSync(built, { recursive: true });
writeFileSync(join(built, "words.json"), allWords());
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
