// Opens pages in Chromium and says what happened there, as JSON, for test_browser.py.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, pages, files, links, pdf, tagged } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update";
const said = { requests: [], console: [], texts: {}, axe: {}, widths: {}, files: {} };
const browser = await chromium.launch({ executablePath, args: [...FLAGS.split(" "), "--disable-sync"] });

async function open(path, options = {}, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 }, ...options });
  const page = await context.newPage();
  // Of workers, too; the page's own file and blobs of its own making are no connections.
  context.on("request", (request) => said.requests.push(request.url().slice(0, 200)));
  page.on("console", (message) => said.console.push(message.text()));
  page.on("pageerror", (error) => said.console.push(String(error)));
  page.on("dialog", (dialog) => said.console.push(`dialog ${dialog.message()}`) && dialog.dismiss());
  await page.goto(pathToFileURL(path).href + hash);
  return page;
}
const shown = (page) => page.waitForSelector("#result:not([hidden])", { timeout: 60_000 });

async function report(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const path = join(mkdtempSync(join(tmpdir(), "stela-page-")), "report.json");
  await download.saveAs(path);
  return JSON.parse(readFileSync(path, "utf8"));
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`));
}

for (const [language, { path, texts }] of Object.entries(pages)) {
  const page = await open(path, { locale: language, colorScheme: "light" });
  said.texts[language] = { lang: await page.evaluate(() => document.documentElement.lang) };
  for (const [name, text] of Object.entries(texts)) {
    await page.fill("#text", text);
    await page.click("button.main");
    await shown(page);
    const seen = await report(page);
    seen.announced = await page.textContent("#announce");
    seen.details = await page.textContent("#details");
    seen.shaded = (await page.locator(".shaded").count()) ? await page.textContent(".shaded") : null;
    seen.plain = (await page.locator(".plain").count()) ? await page.textContent(".plain") : null;
    said.texts[language][name] = seen;
    await page.click("#clear");
  }
  said.texts[language].standing = await page.textContent("#marks");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1000, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const key = `${language} ${colorScheme} ${width}`;
      said.axe[`${key} empty`] = await violations(page);
      await page.fill("#text", Object.values(texts)[0]);
      await page.click("button.main");
      await shown(page);
      said.axe[key] = await violations(page);
      said.widths[key] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      await page.click("#clear");
    }
  }
  await page.context().close();
}

const [{ path, texts }] = Object.values(pages);
const [text] = Object.values(texts);
{
  // The keyboard alone: tab to the text, type, tab to the button, press it.
  const page = await open(path);
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  for (let n = 0; n < 10 && (await focused()) !== "text"; n += 1) await page.keyboard.press("Tab");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await shown(page);
  said.keyboard = (await page.textContent("#announce")).trim();
  const order = [];
  for (let n = 0; n < 12; n += 1) {
    order.push(await focused());
    await page.keyboard.press("Tab");
  }
  said.order = order;
  said.policy = await page.getAttribute("meta[http-equiv]", "content");
  // What the policy is for: a connection that something tries to make.
  said.blocked = await page.evaluate(async () => {
    const tried = await fetch("https://blocked.example/").then(
      () => "sent",
      () => "blocked",
    );
    const source = "fetch('https://blocked.example/').then(() => postMessage('sent'), () => postMessage('blocked'))";
    const worker = new Worker(URL.createObjectURL(new Blob([source])));
    return [tried, await new Promise((resolve) => worker.addEventListener("message", ({ data }) => resolve(data)))];
  });
  said.console = said.console.filter((line) => !line.includes("blocked.example"));
  await page.context().close();
}
said.links = {};
for (const [name, hash] of Object.entries(links.ends)) {
  const page = await open(path, { locale: "ko" }, hash);
  // Once the profile is open: while it is being opened, what axe looks at may be replaced.
  await page.waitForFunction(() => document.querySelector("#marks dl") !== null);
  const linked = (await page.isHidden("#linked")) ? null : await page.textContent("#linked");
  const seen = { linked, problem: await page.textContent("#problem"), axe: await violations(page) };
  await page.fill("#text", links.text);
  await page.click("button.main");
  await shown(page);
  Object.assign(seen, { standing: await page.textContent("#marks"), report: await report(page) });
  if (linked !== null) {
    // Back to the page's own marks: the page loads itself anew.
    await Promise.all([page.waitForEvent("load"), page.click("#own-marks")]);
    await page.waitForFunction(
      () => document.getElementById("linked")?.hidden && document.querySelector("#marks dl") !== null,
    );
    seen.after = await page.textContent("#marks h3");
  }
  said.links[name] = seen;
  await page.context().close();
}
said.pdf = {};
{
  // PDFs of the browser's own making, and others, on a page that reads them.
  const page = await open(pdf.page);
  const printer = await (await browser.newContext()).newPage();
  for (const [name, text] of Object.entries(pdf.texts)) {
    await printer.setContent("<p></p>");
    await printer.evaluate((given) => (document.querySelector("p").textContent = given), text);
    pdf.files[name] = join(pdf.folder, `${name}.pdf`);
    writeFileSync(pdf.files[name], await printer.pdf());
  }
  await printer.context().close();
  for (const [name, file] of Object.entries(pdf.files)) {
    await page.setInputFiles("#file", file);
    await Promise.race([shown(page), page.waitForSelector("#problem:not([hidden])")]);
    const problem = await page.textContent("#problem");
    said.pdf[name] = { problem, text: problem ? null : (await report(page)).text, kinds: await page.textContent("#kinds") };
    await page.click("#clear");
  }
  await page.context().close();
}
{
  const page = await open(path);
  for (const [name, file] of Object.entries(files)) {
    await page.setInputFiles("#file", file);
    await Promise.race([shown(page), page.waitForSelector("#problem:not([hidden])")]);
    const problem = await page.textContent("#problem");
    said.files[name] = { problem, text: problem ? null : (await report(page)).text };
    await page.click("#clear");
  }
  // Dropped: the events that a browser sends, with a file that holds CRLF, which a text area would not keep.
  await page.evaluate((dropped) => {
    const data = new DataTransfer();
    data.items.add(new File([dropped], "dropped.txt", { type: "text/plain" }));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, `${text}\r\nend`);
  await shown(page);
  said.dropped = await report(page);
  // A long text: the page stays alive while it is tested, and the test can be stopped.
  await page.click("#clear");
  const buffer = Buffer.from(text.repeat(Math.ceil(200_000 / text.length)));
  await page.setInputFiles("#file", { name: "long.txt", mimeType: "text/plain", buffer });
  await page.click("#cancel");
  await page.waitForSelector("#problem:not([hidden])");
  said.cancelled = await page.textContent("#problem");
  await page.click("#clear");
  const ten = text.repeat(Math.ceil(10_000 / text.length)).slice(0, 10_000);
  await page.fill("#text", ten);
  const start = Date.now();
  await page.click("button.main");
  await shown(page);
  said.seconds_after_cancel = (Date.now() - start) / 1000;
  await page.evaluate(() => (document.getElementById("announce").textContent = ""));
  const again = Date.now();
  await page.click("button.main");
  await page.waitForFunction(() => document.getElementById("announce").textContent.includes(". "));
  await shown(page);
  said.seconds = (Date.now() - again) / 1000;
  await page.context().close();
}
// Profiles weighed by a tagger, whose rules and weights lie in the page.
said.tagged = {};
for (const [name, { path, texts }] of Object.entries(tagged)) {
  const page = await open(path, { locale: "en" });
  await page.waitForSelector("#licences:not([hidden])");
  said.tagged[name] = { seen: {}, licences: await page.textContent("#licences") };
  for (const [number, text] of Object.entries(texts)) {
    const begun = Date.now();
    await page.fill("#text", text);
    await page.click("button.main");
    await shown(page);
    said.tagged[name].seen[number] = { ...(await report(page)), seconds: (Date.now() - begun) / 1000 };
    await page.click("#clear");
  }
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify(said));
