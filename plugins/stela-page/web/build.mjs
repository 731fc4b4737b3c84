// Builds stela_page/built/ from the sources: page.js (the page, with the worker's program as a string),
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

/** `import program from "./x.ts?program"`: x bundled by itself, as a string. */
const programs = {
  name: "programs",
  setup(setup) {
    setup.onResolve({ filter: /\?program$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?program$/, "")),
      namespace: "program",
    }));
    setup.onLoad({ filter: /.*/, namespace: "program" }, async ({ path }) => {
      const { outputFiles } = await build({ ...common, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

/** The page's words in the other languages, as one JSON file. */
function otherWords() {
  const folder = join(root, "web", "words");
  const names = readdirSync(folder).filter((name) => name !== "en.json").sort();
  const words = names.map((name) => [name.replace(".json", ""), JSON.parse(readFileSync(join(folder, name), "utf8"))]);
  return JSON.stringify(Object.fromEntries(words));
}

mkdirSync(built, { recursive: true });
writeFileSync(join(built, "words.json"), otherWords());
copyFileSync(join(root, "web", "words", "en.json"), join(built, "en.json")); // what the report of stela detect --html says
await build({ ...common, entryPoints: ["web/page/main.ts"], outfile: join(built, "page.js"), plugins: [programs] });
await build({ ...common, entryPoints: ["web/page/service.ts"], outfile: join(built, "service.js") });
await build({
  ...common,
  entryPoints: ["web/page/pdf/program.ts"],
  outfile: join(built, "pdf.js"),
  define: { "import.meta.url": '""' }, // there are no files beside it
});
await build({ ...common, entryPoints: ["web/page/page.css"], outfile: join(built, "page.css") });
