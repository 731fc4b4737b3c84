/** Prints why the detector refuses each of the profiles of a file, or null: for tests/test_reproducible.py. */
import { readFileSync } from "node:fs";
import { ProfileDetector } from "../detector/detecting";
import { UnsupportedProfile } from "../detector/types";

const cases = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as [unknown, unknown][];
const reasons = cases.map(([profile, tokenizer]) => {
  try {
    new ProfileDetector({ profile, tokenizer, table: null, name: "", sha256: "" });
    return null;
  } catch (error) {
    if (error instanceof UnsupportedProfile) return error.message;
    throw error;
  }
});
console.log(JSON.stringify(reasons));
