/** What `stela_page/built/words.json` is made of. */

import { ko } from "./ko";
import { zh } from "./zh";

export default { zh, ko };
