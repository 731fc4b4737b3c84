// The page in each of its languages, on a narrow screen, for test_languages.py: what runs which way, and what runs out; as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, page: path, languages, texts } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const said = { seen: {}, errors: [] };

for (const language of languages) {
  const page = await (await browser.newContext({ viewport: { width: 340, height: 800 }, locale: language })).newPage();
  page.on("pageerror", (error) => said.errors.push(`${language}: ${error}`));
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction((n) => document.querySelectorAll("#marks dl").length === n, 3);
  const empty = await page.evaluate(() => getComputedStyle(document.getElementById("text")).direction);
  await page.fill("#text", texts.arabic);
  const arabic = await page.evaluate(() => getComputedStyle(document.getElementById("text")).direction);
  await page.fill("#text", texts.marked);
  await page.click("button.main");
  await page.waitForSelector("#result:not([hidden])", { timeout: 60_000 });
  said.seen[language] = await page.evaluate(() => {
    const style = (one) => getComputedStyle(document.querySelector(one));
    const isOut = (one) => {
      const { left, right, width } = one.getBoundingClientRect();
      return width > 2 && (left < -1 || right > innerWidth + 1);
    };
    // Where a letter of the p-value stands on its line.
    const [number] = document.querySelector("#details bdi[dir=ltr]").childNodes;
    const place = (letter) => {
      const range = document.createRange();
      const at = number.data.indexOf(letter);
      range.setStart(number, at);
      range.setEnd(number, at + 1);
      return range.getBoundingClientRect().left;
    };
    const edges = (one) => document.querySelector(one).getBoundingClientRect();
    return {
      lang: document.documentElement.lang,
      dir: document.documentElement.dir,
      title: document.title,
      verdict: document.getElementById("verdict").textContent,
      bar: style("#result").borderRightWidth,
      cell: style("#details td").textAlign,
      code: style("#marks code").direction,
      shaded: style("#evidence .shaded").direction,
      power: place("×") < place("⁻"),
      name: document.querySelector("#details tbody th").textContent,
      table: edges("#details table").width <= edges("#details").width + 1,
      wide: document.documentElement.scrollWidth,
      out: [...document.querySelectorAll("body *:not(.unseen, .chooser input)")].filter(isOut).map((one) => one.outerHTML.slice(0, 80)),
      gaps: document.body.innerText.match(/\{\w+\}|undefined/g) ?? [],
    };
  });
  Object.assign(said.seen[language], { empty, arabic, english: await page.evaluate(() => getComputedStyle(document.getElementById("text")).direction) });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  said.seen[language].axe = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  await page.context().close();
}
{
  const page = await browser.newPage();
  await page.addInitScript(() => delete window.DecompressionStream);
  page.on("pageerror", (error) => said.errors.push(`old: ${error}`));
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("#old:not([hidden])");
  said.old = { told: await page.innerText("#old"), form: await page.isVisible("#form") };
}
await browser.close();
console.log(JSON.stringify(said));
