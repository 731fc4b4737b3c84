/** The page: a text in, a result out. */

import type { Service, ServiceProblem } from "./asking";
import { type Checked, checkedOf } from "./checked";
import { ALL, optionsOf, placeOf, wantedOf } from "./choice";
import { contentOf, isHere, licencesOf, type Mark, marksOf } from "./data";
import { onDrop } from "./dropping";
import { element, part } from "./elements";
import { evidence } from "./evidence";
import { readsPdf } from "./files/pdf";
import { withPdf } from "./files/kinds";
import { textOf, Unreadable } from "./files/read";
import { counted, filled } from "./filled";
import { Given } from "./given";
import { BadLink, markIn } from "./links/link";
import { Looking } from "./looking";
import { ownProgram } from "./own-program";
import { reportOf, save } from "./report";
import { type Progress, showProgress } from "./progress";
import { digestOf } from "./record";
import { details, kindOf, sentences, spoken } from "./result";
import { standing } from "./standing";
import { directionOf, LANGUAGES, type Language, languageOf, NAMES, unpackLanguages, type Words } from "./words";
import { Cancelled, type Opened } from "./work";

const MOST = 3_000_000;
/** Characters of a text. */

let area!: HTMLTextAreaElement; // these once the page begins: a worker has none
let languages!: HTMLSelectElement;
let choice!: HTMLSelectElement;
let given!: Given;
/** Its own marks, and what is looked for: these, or the one in the link that the page was opened with. */
let own!: readonly Mark[];
let marks!: readonly Mark[];
let service!: Service | null;

let words!: Words; // once they are unpacked
let checked: Checked | null = null;
/** Whether the text was another one when it was checked. */
let changed = false;
/** Of what was begun last: what was begun before is of no more interest when it is done. */
let latest = 0;
let problem: ((words: Words) => string) | null = null;
let progress: Progress | null = null;

let linked = false;
let chosen = ALL;
const opened = new Map<number, Opened>();
let looking: Looking | null = null;

/** Show the page, and do what its visitor wants. */
export async function begin(): Promise<void> {
  area = part("text");
  languages = part("language");
  choice = part("wanted");
  const chooser = part<HTMLInputElement>("file");
  const form = part<HTMLFormElement>("form");
  service = window.stelaService ?? null;
  marks = own = marksOf(document);
  given = new Given(area, textChanged);
  if (typeof DecompressionStream === "undefined" || typeof Worker === "undefined") {
    part("form").hidden = true;
    part("old").hidden = false;
    return;
  }
  await unpackLanguages(contentOf(document, "words"));
  words = LANGUAGES.en;
  await openLink();
  looking = new Looking(ownProgram, marks, service, (index, one) => {
    opened.set(index, one);
    showStanding();
  });
  languages.append(
    ...Object.entries(NAMES).map(([code, name]) => element("option", { value: code }, name)),
  );
  languages.addEventListener("change", () => speak(languages.value as Language));
  part("choice").hidden = service === null || marks.length < 2;
  choice.addEventListener("change", () => {
    chosen = choice.value;
    showPlace();
    textChanged(); // a verdict is on the marks that were looked for, too
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void check();
  });
  chooser.addEventListener("change", () => {
    const one = chooser.files?.[0];
    chooser.value = "";
    if (one !== undefined) void take(one);
  });
  part("clear").addEventListener("click", () => {
    given.clear();
    changed = false;
    showAll();
    area.focus();
  });
  part("cancel").addEventListener("click", () => looking?.cancel());
  part("save").addEventListener("click", () => {
    if (checked === null) return;
    const report = reportOf(checked);
    save(`stela-${report.made.slice(0, 10)}.json`, `${JSON.stringify(report, null, 2)}\n`);
  });
  part("print").addEventListener("click", () => print());
  onDrop(area, (file) => void take(file));
  speak(languageOf(navigator.languages));
}

/** What was said of a text is said of no other: it goes as soon as the text does, and what is being done stops. */
function textChanged(): void {
  if (words === undefined) return; // all is shown as soon as there are words
  const outdated = checked !== null || progress !== null;
  latest += 1;
  looking?.cancel();
  const told = problem !== null;
  checked = problem = progress = null;
  changed = outdated || changed;
  if (outdated || told) showAll();
  else showCount();
}

async function take(file: File): Promise<void> {
  textChanged();
  const own = latest;
  let text: string;
  try {
    text = await textOf(file);
  } catch (error) {
    if (own === latest) say((spoken) => (error instanceof Unreadable ? error.sentence(spoken) : String(error)));
    return;
  }
  if (own !== latest) return;
  given.hold(text, file.name);
  changed = false;
  showAll();
  // What is sent is sent by a button that says so, not by a file that is let go.
  if (placeOf(wantedOf(chosen, marks), marks, service, words).sent === 0) await check();
}

async function check(): Promise<void> {
  const { text, source } = given;
  looking?.cancel();
  latest += 1;
  const own = latest;
  problem = checked = null;
  changed = false;
  if (text.trim() === "") return say((spoken) => spoken.problems.empty);
  if (text.length > MOST) {
    return say((spoken) => filled(spoken.problems.long, { n: MOST.toLocaleString(spoken.tag) }));
  }
  const wanted = wantedOf(chosen, marks);
  progress = { done: 0, all: wanted.size };
  showAll();
  try {
    if (looking === null) throw new Error("the page is not ready");
    const step = (done: number, all: number): void => {
      if (own !== latest) return;
      progress = { done, all };
      showLooking();
    };
    const [detections, digest] = await Promise.all([looking.detect(text, wanted, step), digestOf(text)]);
    if (own !== latest) return;
    progress = null;
    if (detections.every((one) => one === null)) return say((spoken) => spoken.problems.none);
    checked = checkedOf(text, digest, source, detections, marks, opened);
    showAll();
    part("result").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (own !== latest) return;
    progress = null;
    if (error instanceof Cancelled) return say((spoken) => spoken.cancelled);
    if (isServiceProblem(error)) return say((spoken) => filled(spoken.problems[error.kind], { told: error.told }));
    const told = error instanceof Error ? error.message : String(error);
    say((spoken) => filled(spoken.problems.worker, { problem: told }));
  }
}

/** The mark of a link takes the place of the page's own; a link that gives none is told of. */
async function openLink(): Promise<void> {
  addEventListener("hashchange", () => location.reload());
  part("own-marks").addEventListener("click", () => {
    location.hash = "";
  });
  try {
    const mark = await markIn(location.hash, own.filter(isHere));
    linked = mark !== null;
    if (mark !== null) marks = [mark];
    part("linked").hidden = !linked;
  } catch (error) {
    const sentence = error instanceof BadLink ? error.problem : "linkDamaged";
    problem = (spoken) => spoken.problems[sentence];
  }
}

/** By its name: it may come from the service's own script. */
function isServiceProblem(error: unknown): error is ServiceProblem {
  return error instanceof Error && error.name === "ServiceProblem";
}

/** Says why there is no result. */
function say(sentence: (spoken: Words) => string): void {
  problem = sentence;
  checked = null;
  showAll();
}

function speak(language: Language): void {
  words = LANGUAGES[language];
  languages.value = language;
  // Without what a tag says of digits: that is for numbers.
  document.documentElement.lang = new Intl.Locale(words.tag).baseName;
  document.documentElement.dir = directionOf(language);
  document.title = words.title;
  for (const place of document.querySelectorAll<HTMLElement>("[data-words]")) {
    place.textContent = words[place.dataset["words"] as "title"];
  }
  area.placeholder = words.placeholder;
  if (service !== null) {
    part("offline").textContent = words.served;
    if (!marks.every(isHere)) part("no-author-why").textContent = words.noAuthorWhySecret;
  }
  if (readsPdf()) {
    part("kinds").textContent = withPdf(words.kinds);
    part<HTMLInputElement>("file").accept += ",.pdf";
  }
  choice.replaceChildren(...optionsOf(marks, words));
  choice.value = chosen;
  showAll();
}

function showAll(): void {
  showCount();
  showPlace();
  showStanding();
  showLicences();
  part("problem").textContent = problem === null ? "" : problem(words);
  part("problem").hidden = problem === null;
  part("changed").hidden = !changed;
  announce(problem !== null ? problem(words) : changed ? words.changed : "");
  showLooking();
  showResult();
}

function showCount(): void {
  const { text, source } = given;
  const count = counted(words.characters, given.characters, words.tag);
  const limit = text.length > MOST ? ` (${filled(words.atMost, { n: MOST.toLocaleString(words.tag) })})` : "";
  part("count").textContent = (source === null ? count : `${filled(words.fromFile, { name: source })}: ${count}`) + limit;
  part("excerpt").hidden = !given.isExcerpt;
}

/** Where the text goes when it is checked. */
function showPlace(): void {
  const { sent, sentence } = placeOf(wantedOf(chosen, marks), marks, service, words);
  part("privacy").textContent = sentence;
  part("place").classList.toggle("sent", sent > 0);
}

/** What a screen reader says: a region that is always there, as one that appears may not be read. */
function announce(said: string): void {
  if (part("announce").textContent !== said) part("announce").textContent = said;
}

function showLooking(): void {
  showProgress(progress, opened.size < marks.length, words);
  if (progress !== null) announce(words.detecting);
}

/** Under whose terms what lies in the page may be handed on. */
function showLicences(): void {
  const sentences = [...licencesOf(marks)].map(([licence, names]) => filled(words.taggerLicence, { names: names.join(", "), licence }));
  part("licences").textContent = sentences.join(" ");
  part("licences").hidden = sentences.length === 0;
}

function showStanding(): void {
  const { heading, boxes } = standing(marks, opened, linked, words);
  part("about-heading").textContent = heading;
  part("marks").replaceChildren(...boxes);
}

function showResult(): void {
  part("result").hidden = checked === null;
  if (checked === null) return;
  const { verdict, odds, caution } = sentences(checked, words);
  part("result").className = `card ${kindOf(checked)}`;
  part("verdict").textContent = verdict;
  part("odds").replaceChildren(...odds.map((sentence) => element("span", {}, sentence, " ")));
  part("caution").textContent = caution;
  announce(spoken(verdict, ...odds, caution));
  part("details").replaceChildren(...details(checked, words));
  part("evidence").replaceChildren(...evidence(checked, words));
}
