// Opens a service's page in Chromium and says what happened there, as JSON, for stela-serve's test_page.py.
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const { browser: executablePath, url, choices, texts, marked, pictures } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update";
const said = { choices: {}, console: [], axe: {}, widths: {}, texts: {} };
const browser = await chromium.launch({ executablePath, args: [...FLAGS.split(" "), "--disable-sync"] });
let requests = [];

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 }, ...options });
  context.setDefaultTimeout(120_000); // the browser shares two cores with other tests
  const page = await context.newPage();
  context.on("request", (request) => requests.push(`${request.method()} ${request.url().slice(0, 100)}`));
  page.on("console", (message) => said.console.push(message.text()));
  page.on("pageerror", (error) => said.console.push(String(error)));
  await page.goto(url);
  return page;
}
const done = (page) =>
  Promise.race(["#result", "#problem"].map((id) => page.waitForSelector(`${id}:not([hidden])`, { timeout: 60_000 })));

async function report(page) {
  if (await page.isHidden("#result")) return { problem: await page.textContent("#problem") };
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const path = join(mkdtempSync(join(tmpdir(), "stela-served-")), "report.json");
  await download.saveAs(path);
  return { ...JSON.parse(readFileSync(path, "utf8")), shaded: await page.locator(".shaded").count() };
}
async function checked(page, text) {
  await page.fill("#text", text);
  requests = [];
  await page.click("button.main");
  await done(page);
  const seen = { place: await page.textContent("#privacy"), ...(await report(page)) };
  seen.requests = requests.filter((one) => !one.includes(" blob:"));
  return seen;
}
async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`));
}

{
  const page = await open();
  said.options = await page.locator("#wanted option").allTextContents();
  said.choice_hidden = await page.isHidden("#choice");
  for (const choice of choices) {
    if (choice) await page.selectOption("#wanted", { label: choice });
    said.choices[choice] = await checked(page, marked);
  }
  // A verdict is on the marks that were looked for: with another choice it goes.
  if (choices.length > 2) {
    await page.selectOption("#wanted", { label: choices[0] });
    said.after_choice = { verdict: await page.isVisible("#result"), changed: await page.isVisible("#changed") };
    await page.selectOption("#wanted", { label: choices.at(-1) });
  }
  // A file that is let go is sent by nothing but the button.
  requests = [];
  await page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from(marked) });
  await page.waitForTimeout(300);
  said.after_file = { requests: [...requests].filter((one) => one.startsWith("POST")), place: await page.textContent("#privacy") };
  const buttons = page.locator("button.link");
  said.link = null;
  if ((await buttons.count()) > 0) {
    await buttons.first().click();
    said.link = await page.inputValue(".linkto input");
    await page.goto("about:blank");
    await page.goto(said.link);
    await page.waitForSelector("#linked:not([hidden])");
    said.linked = await checked(page, marked);
    said.axe.linked = await violations(page);
  }
  await page.context().close();
}
for (const [language, given] of Object.entries(texts)) {
  const page = await open({ locale: language });
  said.texts[language] = {};
  for (const [name, text] of Object.entries(given)) said.texts[language][name] = await checked(page, text);
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1000, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const key = `${language} ${colorScheme} ${width}`;
      said.axe[key] = await violations(page);
      said.widths[key] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      if (pictures) await page.screenshot({ path: join(pictures, `${key.replaceAll(" ", "-")}.png`), fullPage: true });
    }
  }
  await page.context().close();
}
if (Object.keys(texts).length > 0) {
  // The keyboard alone: tab to the text, type, tab to the button, press it.
  const page = await open();
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  for (let n = 0; n < 10 && (await focused()) !== "text"; n += 1) await page.keyboard.press("Tab");
  await page.keyboard.insertText(marked);
  const atButton = () => page.evaluate(() => document.activeElement?.matches("button.main") ?? false);
  for (let n = 0; n < 4 && !(await atButton()); n += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await done(page);
  said.keyboard = (await page.textContent("#announce")).trim();
  said.order = [];
  for (let n = 0; n < 20; n += 1) {
    said.order.push(await focused());
    await page.keyboard.press("Tab");
  }
  said.reached = await page.evaluate(() =>
    Promise.all(
      ["https://blocked.example/", "healthz"].map((there) => fetch(there).then(({ status }) => status, () => "blocked")),
    ),
  );
  said.console = said.console.filter((line) => !line.includes("blocked.example"));
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify(said));
