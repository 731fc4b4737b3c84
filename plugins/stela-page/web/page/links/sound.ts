/** Whether pages take a stranger's profile from a link: it follows the schema that `stela detect` has, and more.
 *
 * What lies in a page was checked by Python when the page was made; what comes in a link was checked by nobody. The
 * worker that opens it works the names of its keys out, which takes a while.
 */

import { contentOf, profileOf } from "../../detector/profile";
import { UnsupportedProfile } from "../../detector/types";

const HIGHEST_ALPHA = 0.05;
const MOST_ERROR = 1e-3;
const FEWEST_TOKENS = 8;
/** As for somebody else's profile that `stela detect` opens. */
const LONGEST_LANGUAGE = 20;
const LONGEST_VERSION = 100;
/** Characters. */

/** Whether it is a profile whose keys are public, and whose verdicts say something. */
export function isSound(parsed: unknown): boolean {
  try {
    const { keys, messages } = profileOf(parsed);
    const { alpha, min_tokens, language, created_with, tagger } = contentOf(parsed);
    const short = (language ?? "").length <= LONGEST_LANGUAGE && created_with.length <= LONGEST_VERSION;
    const plain = tagger === null && keys.every(({ key, key_id, since, until }) => key && key_id && !since && !until);
    const told = alpha <= HIGHEST_ALPHA && (messages?.mostError ?? 0) <= MOST_ERROR && min_tokens >= FEWEST_TOKENS;
    return told && short && plain;
  } catch (error) {
    if (error instanceof UnsupportedProfile) return false;
    throw error;
  }
}
