// A picture of a page and what it says of a text: node scripts/picture.mjs verify.html text.txt page.png
// docs/page.png is one of a signed profile's page. Needs Chromium.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, text, picture] = process.argv.slice(2);
const executablePath = process.env.STELA_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const tab = await browser.newPage({ viewport: { width: 880, height: 1130 }, locale: "en" });
await tab.goto(pathToFileURL(resolve(page)).href);
await tab.fill("textarea", readFileSync(text, "utf8"));
await tab.keyboard.press("Control+Enter");
await tab.waitForSelector("h2");
await tab.waitForTimeout(2000);
await tab.evaluate(() => scrollTo(0, 0));
await tab.screenshot({ path: picture });
await browser.close();
