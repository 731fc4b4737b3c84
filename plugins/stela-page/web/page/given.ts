/** The text that is to be checked: what stands in the text area, or what is held aside. */

import { codePoints, lastCodePoints } from "../detector/characters";

/** UTF-16 units that a text area is given: it lays all of a text out at once, and the page stands still meanwhile. */
export const SHOWN = 30_000;
const EXCERPT = 2_000;
/** Of a longer text so many are shown. */
const LEAP = 1_000;
/** More than anybody types at once. */

export class Given {
  #held: { text: string; source: string | null } | null = null;
  #before = 0;
  #counted: { text: string; characters: number } | null = null;

  /** @param changed is told of each change of the text. */
  constructor(
    private readonly area: HTMLTextAreaElement,
    private readonly changed: () => void,
  ) {
    area.addEventListener("input", () => this.#typed());
    // What a keyboard or another program puts in: of many lines, a browser would lay out each before the page is told.
    area.addEventListener("beforeinput", (event) => {
      if (event.cancelable && (event.data?.length ?? 0) > LEAP) this.#put(event, event.data);
    });
    area.addEventListener("paste", (event) => this.#put(event, event.clipboardData?.getData("text/plain")));
    area.addEventListener("drop", (event) => {
      if (event.dataTransfer?.files.length === 0) this.#put(event, event.dataTransfer.getData("text/plain"));
    });
  }

  get text(): string {
    return this.#held?.text ?? this.area.value;
  }

  /** How many characters it has, counted once. */
  get characters(): number {
    const { text } = this;
    if (this.#counted?.text !== text) this.#counted = { text, characters: codePoints(text) };
    return this.#counted.characters;
  }

  /** Name of the file that it is from, or null. */
  get source(): string | null {
    return this.#held?.source ?? null;
  }

  /** Whether only its beginning is shown. */
  get isExcerpt(): boolean {
    return this.area.readOnly;
  }

  /** Take a text as it is: what stands in a text area has other line ends. */
  hold(text: string, source: string | null): void {
    const long = text.length > SHOWN;
    this.#held = { text, source };
    this.area.readOnly = long;
    this.area.value = long ? `${beginningOf(text)} …` : text;
    this.area.scrollTop = 0;
    this.#before = this.area.value.length;
    this.changed();
  }

  clear(): void {
    this.#held = null;
    this.area.readOnly = false;
    this.area.value = "";
    this.#before = 0;
    this.changed();
  }

  #typed(): void {
    const { value } = this.area;
    // A keyboard that puts in a text of many lines tells of each line, after the excerpt stands there too.
    if (this.isExcerpt && value.length === this.#before) return;
    if (value.length > SHOWN && value.length > this.#before + LEAP) return this.hold(value, null);
    this.#held = null;
    this.#before = value.length;
    this.changed();
  }

  /** What is put in is held aside where it is long; into an excerpt it comes in place of the whole. */
  #put(event: Event, given: string | null | undefined): void {
    const put = (given ?? "").replace(/\r\n?/g, "\n");
    const { value, selectionStart, selectionEnd } = this.area;
    const [before, after] = this.isExcerpt ? ["", ""] : [value.slice(0, selectionStart), value.slice(selectionEnd)];
    const text = before + put + after;
    if (put === "" || (!this.isExcerpt && text.length <= SHOWN)) return; // the browser does it
    event.preventDefault();
    this.hold(text, null);
  }
}

/** So much of a text as is shown: no character is cut. */
function beginningOf(text: string): string {
  const cut = text.slice(0, EXCERPT);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, lastCodePoints(cut, 1)) : cut;
}
