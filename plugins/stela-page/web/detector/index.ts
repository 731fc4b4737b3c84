/** The detector that a page uses. */
import { type Detector, type ProfileFiles, UnsupportedProfile } from "./types";

export * from "./types";

/** Open a profile's files; throws UnsupportedProfile in one line where it cannot be reproduced exactly. */
export async function openProfile(files: ProfileFiles): Promise<Detector> {
  throw new UnsupportedProfile(`${files.name}: the detector in the browser cannot open profiles yet`);
}
