/** Lines of a PDF as running text, by the rules of stela_documents/extract_pdf.py. */

const WIDE = "[\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\uff00-\\uffef\\u3000-\\u303f]";
const LIGATURES = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"];
const HYPHEN = /(?<=\p{L})[-\u00ad\u2010]\n(?=[a-z\u00df-\u00ff])/gu;
const BETWEEN_WIDE = new RegExp(`(?<=${WIDE}) ?\\n ?(?=${WIDE})`, "gu");
const LINE = /(?<!\n)\n(?!\n)/g;

/** Single line feeds to spaces, none between letters of scripts without spaces; broken words mended. */
export function joined(text: string): string {
  const plain = text.replace(/[\ufb00-\ufb06]/g, (one) => LIGATURES[one.charCodeAt(0) - 0xfb00] as string);
  const lines = plain.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).map((line) => line.trim());
  return lines.join("\n").trim().replace(HYPHEN, "").replace(BETWEEN_WIDE, "").replace(LINE, " ");
}
