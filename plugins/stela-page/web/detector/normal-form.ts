/** Normal form C by another Unicode than the browser's: characters newer than it stay as and where they are. */
import { classBody } from "./characters";
import { LIBRARY_INERT, PYTHON_INERT } from "./tables/characters";

const OLDER = "[\\u0000-\\u007f]*";

/** NFC in which the characters of a class are starters that join nothing. */
function normalizer(inert: string): (text: string) => string {
  const odd = new RegExp(`([${inert}]+)`, "u");
  const plain = new RegExp(`^${OLDER}$`);
  return (text) => {
    if (plain.test(text)) return text;
    if (!odd.test(text)) return text.normalize("NFC");
    return text.split(odd).map((piece, n) => (n % 2 ? piece : piece.normalize("NFC"))).join("");
  };
}

/** Python's `unicodedata.normalize("NFC", text)`. */
export const pythonNfc = normalizer(classBody(PYTHON_INERT));

/** The tokenizers' library's `NFC`. */
export const libraryNfc = normalizer(classBody(LIBRARY_INERT));
