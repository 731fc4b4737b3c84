/** The page's one program, for the page and for its worker, which is made of the same letters: what both need lies there once.
 *
 * Each half begins by a call, not by an import that is done later: around each module of one that is, there would be code to
 * begin it.
 */

import { begin } from "./main";
import { listen } from "./worker";

if (typeof document === "undefined") listen();
else void begin();
