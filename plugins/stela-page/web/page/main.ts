/** The page: a text in, a result out. */

import type { ServiceProblem } from "./asking";
import { ALL, optionsOf, placeOf, wantedOf } from "./choice";
import { gammaOf, isHere, licencesOf, type Mark, marksOf } from "./data";
import { element, part } from "./elements";
import { readsPdf } from "./files/pdf";
import { textOf, Unreadable } from "./files/read";
import { counted, filled } from "./filled";
import { BadLink, markIn } from "./links/link";
import { Looking } from "./looking";
import { outcomeOf } from "./outcome";
import { reportOf, save } from "./report";
import { type Checked, classOfVerdict, details, evidence, sentences } from "./result";
import { standing } from "./standing";
import { LANGUAGES, type Language, languageOf, type Words } from "./words";
import { Cancelled, type Opened } from "./work";
import worker from "./worker.ts?program";

const MOST = 1_000_000;
/** Characters of a text. */

const area = part<HTMLTextAreaElement>("text");
const chooser = part<HTMLInputElement>("file");
const form = part<HTMLFormElement>("form");
const languages = part<HTMLSelectElement>("language");
const choice = part<HTMLSelectElement>("wanted");

let words: Words = LANGUAGES.en;
let checked: Checked | null = null;
/** A file's text as it is: what stands in a text area has other line ends. */
let file: { name: string; text: string } | null = null;
let problem: ((words: Words) => string) | null = null;
let progress: { done: number; all: number } | null = null;

const service = window.stelaService ?? null;
const own = marksOf(document);
/** What is looked for: the page's own marks, or the one in the link that it was opened with. */
let marks: readonly Mark[] = own;
let chosen = ALL;
const opened = new Map<number, Opened>();

async function begin(): Promise<void> {
  if (typeof DecompressionStream === "undefined" || typeof Worker === "undefined") {
    speak(languageOf(navigator.languages));
    return say((spoken) => spoken.problems.browser);
  }
  await openLink();
  const looking = new Looking(worker, marks, service, (index, one) => {
    opened.set(index, one);
    showStanding();
  });
  languages.append(
    ...(Object.keys(LANGUAGES) as Language[]).map((code) =>
      element("option", { value: code }, { en: "English", zh: "中文", ko: "한국어" }[code]),
    ),
  );
  languages.addEventListener("change", () => speak(languages.value as Language));
  part("choice").hidden = service === null || marks.length < 2;
  choice.addEventListener("change", () => {
    chosen = choice.value;
    showPlace();
  });
  area.addEventListener("input", () => {
    file = null;
    showCount();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void check(looking);
  });
  chooser.addEventListener("change", () => {
    const given = chooser.files?.[0];
    chooser.value = "";
    if (given !== undefined) void take(given, looking);
  });
  part("clear").addEventListener("click", () => {
    looking.cancel();
    file = checked = problem = null;
    area.value = "";
    showAll();
    area.focus();
  });
  part("cancel").addEventListener("click", () => looking.cancel());
  part("save").addEventListener("click", () => {
    if (checked === null) return;
    const made = new Date();
    const report = reportOf(checked.text, checked.source, checked.outcome, opened, made);
    save(`stela-${made.toISOString().slice(0, 10)}.json`, `${JSON.stringify(report, null, 2)}\n`);
  });
  part("print").addEventListener("click", () => print());
  dropping(looking);
  speak(languageOf(navigator.languages));
}

/** A file dropped anywhere on the page is taken: a browser would leave the page for it. */
function dropping(looking: Looking): void {
  const over = (on: boolean) => document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    over(event.dataTransfer?.types.includes("Files") ?? false);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false);
  });
  addEventListener("drop", (event) => {
    over(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped === undefined && event.target === area) return; // text that is dragged
    event.preventDefault();
    if (dropped !== undefined) void take(dropped, looking);
  });
}

async function take(given: File, looking: Looking): Promise<void> {
  try {
    file = { name: given.name, text: await textOf(given) };
  } catch (error) {
    return say((spoken) => (error instanceof Unreadable ? error.sentence(spoken) : String(error)));
  }
  area.value = file.text;
  problem = checked = null;
  showAll();
  // What is sent is sent by a button that says so, not by a file that is let go.
  if (placeOf(wantedOf(chosen, marks), marks, service, words).sent === 0) await check(looking);
}

async function check(looking: Looking): Promise<void> {
  const text = file?.text ?? area.value;
  const source = file?.name ?? null;
  problem = checked = null;
  if (text.trim() === "") return say((spoken) => spoken.problems.empty);
  if (text.length > MOST) {
    return say((spoken) => filled(spoken.problems.long, { n: MOST.toLocaleString(spoken.tag) }));
  }
  const wanted = wantedOf(chosen, marks);
  progress = { done: 0, all: wanted.size };
  showAll();
  try {
    const detections = await looking.detect(text, wanted, (done, all) => {
      progress = { done, all };
      showProgress();
    });
    progress = null;
    if (detections.every((one) => one === null)) return say((spoken) => spoken.problems.none);
    const signatures = new Map([...opened].flatMap(([n, one]) => ("profile" in one ? [[n, one.signature] as const] : [])));
    checked = { text, source, outcome: outcomeOf(detections), ...aboutMarks(), signatures };
    showAll();
    part("result").scrollIntoView({ block: "nearest" });
  } catch (error) {
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
    const linked = await markIn(location.hash, own.filter(isHere));
    if (linked !== null) marks = [linked];
    part("linked").hidden = linked === null;
  } catch (error) {
    const sentence = error instanceof BadLink ? error.problem : "linkDamaged";
    problem = (spoken) => spoken.problems[sentence];
  }
}

function aboutMarks(): Pick<Checked, "names" | "gammas"> {
  return { names: marks.map((one) => one.name), gammas: marks.map(gammaOf) };
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
  document.documentElement.lang = words.tag;
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
    part("kinds").append(", .pdf");
    chooser.accept += ",.pdf";
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
  announce(problem === null ? "" : problem(words));
  showProgress();
  showResult();
}

function showCount(): void {
  const length = [...(file?.text ?? area.value)].length;
  const count = counted(words.characters, length, words.tag);
  part("count").textContent = file === null ? count : `${filled(words.fromFile, { name: file.name })}: ${count}`;
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

function showProgress(): void {
  part("progress").hidden = progress === null;
  if (progress === null) return;
  const { done, all } = progress;
  const bar = part<HTMLProgressElement>("bar");
  if (all > 1) [bar.max, bar.value] = [all, done];
  else bar.removeAttribute("value");
  const opening = opened.size < marks.length;
  part("step").textContent = opening
    ? words.opening
    : all > 1
      ? filled(words.detectingOf, { n: done + 1, all })
      : words.detecting;
  announce(words.detecting);
}

/** Under whose terms what lies in the page may be handed on. */
function showLicences(): void {
  const sentences = [...licencesOf(marks)].map(([licence, names]) => filled(words.taggerLicence, { names: names.join(", "), licence }));
  part("licences").textContent = sentences.join(" ");
  part("licences").hidden = sentences.length === 0;
}

function showStanding(): void {
  const { heading, boxes } = standing(marks, opened, words);
  part("about-heading").textContent = heading;
  part("marks").replaceChildren(...boxes);
}

function showResult(): void {
  part("result").hidden = checked === null;
  if (checked === null) return;
  const { verdict, odds } = sentences(checked, words);
  part("result").className = `card ${classOfVerdict(checked.outcome.verdict)}`;
  part("verdict").textContent = verdict;
  part("odds").replaceChildren(...odds.map((sentence) => element("span", {}, sentence, " ")));
  announce([verdict, ...odds].join(". "));
  part("details").replaceChildren(...details(checked, words));
  part("evidence").replaceChildren(...evidence(checked, words));
}

void begin();
