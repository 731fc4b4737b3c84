// Opens a page in Chromium and tells what it sees, as JSON on stdout: node web/browser/check.mjs JOB.json
// The job names the page (its file), texts to check, files to drop, and a folder for pictures, or null.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const QUIET = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const LOCALES = { en: "en-US", zh: "zh-CN", ko: "ko-KR" };

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await chromium.launch({ executablePath: job.chromium, args: QUIET.split(" ") });
const seen = { requests: [], errors: [], checks: [], files: [], axe: [], widths: {}, titles: {} };

/** A page of its own, whose requests and errors are noted. */
async function open(options = {}) {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const inside = ["file:", "blob:", "data:"];
  page.on("request", (request) => inside.some((one) => request.url().startsWith(one)) || seen.requests.push(request.url()));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  await page.goto(pathToFileURL(job.page).href);
  return page;
}

/** Waits for an answer, and for one of this text if there was another before. */
async function answer(page) {
  await page.waitForFunction(() => {
    const shown = (id) => !document.getElementById(id).hidden;
    return !shown("progress") && (shown("result") || shown("problem"));
  });
  if (await page.isVisible("#problem")) return { problem: await page.textContent("#problem") };
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  return {
    verdict: await page.textContent("#verdict"),
    odds: await page.textContent("#odds"),
    shaded: await page.locator(".shaded").allTextContents(),
    report: JSON.parse(readFileSync(await download.path(), "utf8")),
  };
}

async function flaws(page, what) {
  const { violations } = await page.evaluate(`${AXE}; axe.run()`);
  seen.axe.push(...violations.map((one) => `${what}: ${one.id}: ${one.nodes.map((node) => node.target).join(" ")}`));
}

const page = await open();
for (const text of job.texts) {
  await page.fill("#text", text);
  await page.press("#text", "Control+Enter");
  seen.checks.push(await answer(page));
}
for (const file of job.files) {
  await page.setInputFiles("#file", file);
  seen.files.push(await answer(page));
}
// A file that is dropped.
const dropped = await page.evaluateHandle((text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "dropped.txt", { type: "text/plain" }));
  return carried;
}, job.texts[0]);
await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
seen.dropped = await answer(page);
seen.blocked = await page.evaluate(() =>
  fetch("http://127.0.0.1:9/").then(() => "connected", (error) => error.name).then(async (fetched) => {
    const image = await new Promise((done) => {
      const picture = new Image();
      picture.onload = () => done("loaded");
      picture.onerror = () => done("refused");
      picture.src = "http://127.0.0.1:9/a.png";
    });
    return [fetched, image];
  }),
);
seen.requests = seen.requests.filter((url) => !url.startsWith("http://127.0.0.1:9/")); // those just above
seen.elements = await page.evaluate(() => document.querySelectorAll("img, iframe, link, object, embed").length);
seen.title = await page.title();
seen.policy = await page.getAttribute("meta[http-equiv]", "content");

// The keyboard alone: from the top to the text, typed, checked, and on to the report.
const keys = await open();
await keys.keyboard.press("Tab");
const order = [];
for (let step = 0; step < 12; step += 1) {
  const id = await keys.evaluate(() => document.activeElement?.id ?? "");
  order.push(id);
  if (id === "text") await keys.keyboard.insertText(job.texts[0]);
  if (id === "clear") break;
  await keys.keyboard.press("Tab");
}
seen.order = order;
await keys.focus("#text");
await keys.keyboard.press("Tab");
await keys.keyboard.press("Enter");
seen.keyboard = (await answer(keys)).verdict;

for (const colorScheme of ["light", "dark"]) {
  for (const [code, locale] of Object.entries(LOCALES)) {
    for (const width of [390, 1000]) {
      if (colorScheme === "dark" && code !== "en" && width === 390) continue;
      const one = await open({ locale, colorScheme, viewport: { width, height: 900 } });
      const what = `${code} ${colorScheme} ${width}`;
      await flaws(one, what);
      await one.fill("#text", job.texts[0]);
      await one.click("button.main");
      await answer(one);
      await flaws(one, `${what}, with a result`);
      seen.widths[what] = await one.evaluate(() => document.scrollingElement.scrollWidth);
      seen.titles[code] = await one.textContent("h1");
      if (job.pictures !== null) await one.screenshot({ path: join(job.pictures, `${what.replaceAll(" ", "-")}.png`), fullPage: true });
      await one.context().close();
    }
  }
}
await browser.close();
process.stdout.write(`${JSON.stringify(seen)}\n`);
