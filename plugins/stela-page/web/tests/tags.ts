/**
 * What the taggers of pages say of windows, for scripts/parity_tags.py: `node tags.mjs FOLDER` reads job.json there
 * (windows, how many tags) and tagger.bin, and writes said.json: tags of each window, margins of their labels.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { taggerFile } from "../detector/tagger/file";
import { Segmenter } from "../detector/tagger/segmenter";
import { Tagger } from "../detector/tagger/tagger";

const folder = process.argv[2]!;
const { windows, count } = JSON.parse(readFileSync(join(folder, "job.json"), "utf8")) as { windows: string[]; count: number };
const tagger = new Tagger(taggerFile(new Uint8Array(readFileSync(join(folder, "tagger.bin")))));
const margins: number[] = [];
const { cutter } = tagger;
if (cutter instanceof Segmenter) cutter.margin = (margin) => margins.push(margin);
tagger.network.margin = (margin) => margins.push(margin);
const begun = performance.now();
const tags = windows.map((window) => tagger.lastTags(window, count));
const ms = performance.now() - begun;
writeFileSync(join(folder, "said.json"), JSON.stringify({ tags, margins, ms }));
