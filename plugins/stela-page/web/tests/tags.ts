/**
 * What the taggers of pages say of windows, for scripts/parity_tags.py: `node tags.mjs FOLDER ...` reads job.json in each
 * folder (texts with their windows, how many tags) and tagger.bin, and writes said.json: tags of each window, margins,
 * and by how much scores of double precision are apart from Python's in the first text.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { taggerFile } from "../detector/tagger/file";
import { Tagger } from "../detector/tagger/tagger";

interface Job {
  count: number;
  texts: { text: string; starts: number[]; ends: number[] }[];
}
const FEW = 3;

for (const folder of process.argv.slice(2)) {
  const { texts, count } = JSON.parse(readFileSync(join(folder, "job.json"), "utf8")) as Job;
  const file = taggerFile(new Uint8Array(readFileSync(join(folder, "tagger.bin"))));
  const tagger = new Tagger(file);
  const margins: number[] = [];
  tagger.margin = (margin) => margins.push(margin);
  const begun = process.cpuUsage();
  const tags = texts.map(({ text, starts, ends }) => tagger.lastTagsOf(text, starts, ends, count));
  const { user, system } = process.cpuUsage(begun);
  const exact = new Tagger(file);
  exact.near = Infinity; // all to the bit
  let apart = 0;
  exact.margin = (_, by = 0) => (apart = Math.max(apart, by));
  const [{ text, starts, ends }] = texts as [Job["texts"][0]];
  const few = exact.lastTagsOf(text, starts.slice(0, FEW), ends.slice(0, FEW), count);
  if (JSON.stringify(few) !== JSON.stringify(tags[0]!.slice(0, FEW))) throw new Error("both ways give other tags");
  writeFileSync(join(folder, "said.json"), JSON.stringify({ tags, margins, ms: (user + system) / 1000, apart }));
}
