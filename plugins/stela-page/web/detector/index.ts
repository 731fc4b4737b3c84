/** The detector that a page uses: a profile's files in, a detector that gives the p-values of `stela detect` out. */
import { ProfileDetector } from "./detecting";
import { type Detector, type ProfileFiles } from "./types";

export * from "./types";

/** Open a profile's files; throws UnsupportedProfile in one line where they cannot be reproduced exactly. */
export async function openProfile(files: ProfileFiles): Promise<Detector> {
  return new ProfileDetector(files);
}
