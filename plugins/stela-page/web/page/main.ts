/** The page: a text in, a result out. */

import { gammaOf, profilesOf } from "./data";
import { element, part } from "./elements";
import { textOf, Unreadable } from "./files/read";
import { counted, filled } from "./filled";
import { outcomeOf } from "./outcome";
import { reportOf, save } from "./report";
import { type Checked, classOfVerdict, details, evidence, sentences } from "./result";
import { standing } from "./standing";
import { LANGUAGES, type Language, languageOf, type Words } from "./words";
import { Cancelled, type Opened, Work } from "./work";
import worker from "./worker.ts?program";

const MOST = 1_000_000;
/** Characters of a text. */

const area = part<HTMLTextAreaElement>("text");
const chooser = part<HTMLInputElement>("file");
const form = part<HTMLFormElement>("form");
const languages = part<HTMLSelectElement>("language");

let words: Words = LANGUAGES.en;
let checked: Checked | null = null;
/** A file's text as it is: what stands in a text area has other line ends. */
let file: { name: string; text: string } | null = null;
let problem: ((words: Words) => string) | null = null;
let progress: { done: number; all: number } | null = null;

const profiles = profilesOf(document);
const names = profiles.map((one) => one.name);
const gammas = profiles.map(gammaOf);
const opened = new Map<number, Opened>();

function begin(): void {
  if (typeof DecompressionStream === "undefined" || typeof Worker === "undefined") {
    speak(languageOf(navigator.languages));
    return say((spoken) => spoken.problems.browser);
  }
  const work = new Work(worker, profiles, (index, one) => {
    opened.set(index, one);
    showStanding();
  });
  languages.append(
    ...(Object.keys(LANGUAGES) as Language[]).map((code) =>
      element("option", { value: code }, { en: "English", zh: "中文", ko: "한국어" }[code]),
    ),
  );
  languages.addEventListener("change", () => speak(languages.value as Language));
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
    void check(work);
  });
  chooser.addEventListener("change", () => {
    const chosen = chooser.files?.[0];
    chooser.value = "";
    if (chosen !== undefined) void take(chosen, work);
  });
  part("clear").addEventListener("click", () => {
    work.cancel();
    file = checked = problem = null;
    area.value = "";
    showAll();
    area.focus();
  });
  part("cancel").addEventListener("click", () => work.cancel());
  part("save").addEventListener("click", () => {
    if (checked === null) return;
    const made = new Date();
    const summaries = [...opened].flatMap(([n, one]) => ("profile" in one ? [[n, one.profile] as const] : []));
    const report = reportOf(checked.text, checked.source, checked.outcome, new Map(summaries), made);
    save(`stela-${made.toISOString().slice(0, 10)}.json`, `${JSON.stringify(report, null, 2)}\n`);
  });
  part("print").addEventListener("click", () => print());
  dropping(work);
  speak(languageOf(navigator.languages));
}

/** A file dropped anywhere on the page is taken: a browser would leave the page for it. */
function dropping(work: Work): void {
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
    if (dropped !== undefined) void take(dropped, work);
  });
}

async function take(chosen: File, work: Work): Promise<void> {
  try {
    file = { name: chosen.name, text: await textOf(chosen) };
  } catch (error) {
    return say((spoken) => (error instanceof Unreadable ? error.sentence(spoken) : String(error)));
  }
  area.value = file.text;
  showCount();
  await check(work);
}

async function check(work: Work): Promise<void> {
  const text = file?.text ?? area.value;
  const source = file?.name ?? null;
  problem = checked = null;
  if (text.trim() === "") return say((spoken) => spoken.problems.empty);
  if (text.length > MOST) {
    return say((spoken) => filled(spoken.problems.long, { n: MOST.toLocaleString(spoken.tag) }));
  }
  progress = { done: 0, all: profiles.length };
  showAll();
  try {
    const detections = await work.detect(text, (done, all) => {
      progress = { done, all };
      showProgress();
    });
    progress = null;
    if (detections.every((one) => one === null)) return say((spoken) => spoken.problems.none);
    checked = { text, source, outcome: outcomeOf(detections), names, gammas };
    showAll();
    part("result").scrollIntoView({ block: "nearest" });
  } catch (error) {
    progress = null;
    if (error instanceof Cancelled) return say((spoken) => spoken.cancelled);
    const told = error instanceof Error ? error.message : String(error);
    say((spoken) => filled(spoken.problems.worker, { problem: told }));
  }
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
  showAll();
}

function showAll(): void {
  showCount();
  showStanding();
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
  const opening = opened.size < profiles.length;
  part("step").textContent = opening
    ? words.opening
    : all > 1
      ? filled(words.detectingOf, { n: done + 1, all })
      : words.detecting;
  announce(words.detecting);
}

function showStanding(): void {
  const { heading, boxes } = standing(names, opened, words);
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

begin();
