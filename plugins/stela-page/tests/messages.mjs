// Opens a page in Chromium, asks it for texts in each language, and says what it shows, as JSON, for test_messages.py.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, page: path, texts } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const said = { console: [], texts: {} };
page.on("console", (message) => said.console.push(message.text()));
page.on("pageerror", (error) => said.console.push(String(error)));
await page.goto(pathToFileURL(path).href);
for (const [name, text] of Object.entries(texts)) {
  await page.fill("#text", text);
  await page.click("button.main");
  await page.waitForSelector("#result:not([hidden])", { timeout: 60_000 });
  const details = {};
  for (const language of ["ko", "zh", "en"]) {
    await page.selectOption("#language", language);
    details[language] = await page.textContent("#details");
  }
  const evidence = await page.textContent("#evidence");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const report = join(mkdtempSync(join(tmpdir(), "stela-page-")), "report.json");
  await download.saveAs(report);
  said.texts[name] = { details, evidence, report: JSON.parse(readFileSync(report, "utf8")) };
  await page.click("#clear");
}
await browser.close();
console.log(JSON.stringify(said));
