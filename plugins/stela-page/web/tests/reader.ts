/**
 * What the page makes of profiles, for tests/test_same_refusals.py: `node reader.mjs JOB.json` prints, of each, why it
 * is refused, or what is detected with it, and whether a link may bring it.
 */
import { readFileSync } from "node:fs";
import { ProfileDetector } from "../detector/detecting";
import { parsedProfile } from "../detector/reading/json";
import { UnsupportedProfile } from "../detector/types";
import { isSound } from "../page/links/sound";

interface Job {
  /** Paths. */
  files: Record<string, string>;
  /** Text of profile.json, and the names of what lies beside it. */
  cases: { content: string; tokenizer: string; table: string | null; tagger: string | null }[];
  text: string;
}

const { files, cases, text } = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Job;
const parsed = new Map<string, unknown>();
const bytes = new Map<string, Uint8Array>();
for (const [name, path] of Object.entries(files)) {
  const data = new Uint8Array(readFileSync(path));
  if (path.endsWith(".json")) parsed.set(name, JSON.parse(new TextDecoder().decode(data)));
  else bytes.set(name, data);
}
const read = (name: string | null): unknown => (name === null ? null : parsed.get(name));

const said = cases.map(({ content, tokenizer, table, tagger }) => {
  try {
    const profile = parsedProfile(content);
    const beside = { tokenizer: read(tokenizer), table: read(table), tagger: tagger === null ? null : bytes.get(tagger)! };
    const detector = new ProfileDetector({ profile, ...beside, name: "", sha256: "" });
    const { tokens: _, ...detection } = detector.detect(text);
    return { profile: detector.profile, detection, linked: isSound(profile) };
  } catch (error) {
    if (error instanceof UnsupportedProfile) return { refused: error.message, is: error.constructor.name };
    throw error; // a TypeError is no refusal
  }
});
console.log(JSON.stringify(said));
