// Bundles web/tests/*.test.ts and web/page/tests/*.test.ts into .build/tests and runs them with node's own runner.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const outdir = join(web, "..", ".build", "tests");
const names = process.argv.slice(2);
const entryPoints = ["tests", "page/tests"]
  .map((folder) => join(web, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith(".test.ts") && (!names.length || names.some((name) => path.includes(name))));

rmSync(outdir, { recursive: true, force: true });
if (!entryPoints.length) {
  console.error("there is no such test");
  process.exit(1);
}
await build({
  entryPoints,
  outdir,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outExtension: { ".js": ".mjs" },
  entryNames: "[name]",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = entryPoints.map((path) => join(outdir, path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, ".mjs")));
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
