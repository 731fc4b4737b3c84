// What readers meet, for test_readers.py: texts that change under a verdict, scripts, long texts, prints; as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, page: path, several, texts } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const said = { stands: {}, results: {}, long: {}, errors: [] };

async function open(file = path, locale = "en") {
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 }, locale });
  const page = await context.newPage();
  page.on("pageerror", (error) => said.errors.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.querySelector("#marks dl") !== null);
  return page;
}
const shown = (page) => page.waitForSelector("#result:not([hidden])", { timeout: 120_000 });
async function checked(page, text) {
  await page.fill("#text", text);
  await page.click("button.main");
  await shown(page);
}
/** What stands under the text: whether there is a verdict, and whether the page says that the text was changed. */
const standing = async (page) => ({ verdict: await page.isVisible("#result"), changed: await page.isVisible("#changed") });
const drop = (page, name, text) =>
  page.evaluate(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type: "text/plain" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [name, text],
  );

{
  const page = await open();
  await checked(page, texts.marked);
  await page.press("#text", "End");
  await page.keyboard.type("x");
  said.stands.typed = await standing(page);
  said.stands.announced = await page.textContent("#announce");
  await page.click("button.main");
  await shown(page);
  said.stands.again = await standing(page);
  await drop(page, "bad.rtf", texts.human);
  await page.waitForSelector("#problem:not([hidden])");
  said.stands.unreadable = await standing(page);
  await checked(page, texts.marked);
  await drop(page, "other.txt", texts.human);
  await page.waitForFunction(() => document.getElementById("text").value.length > 0 && !document.getElementById("result").hidden);
  said.stands.dropped = { ...(await standing(page)), said: await page.textContent("#verdict") };
  // Changed while it is being checked: what then comes is of the old text.
  await drop(page, "long.txt", texts.human.repeat(600));
  await page.waitForSelector("#progress:not([hidden])");
  await page.click("#clear");
  await page.fill("#text", texts.marked);
  await page.waitForTimeout(4000);
  said.stands.while_checked = await standing(page);
  await page.click("button.main");
  await shown(page);
  said.stands.after = await page.textContent("#verdict");
  await page.context().close();
}
for (const [file, name] of [[path, "one"], [several, "several"]]) {
  const page = await open(file);
  said.results[name] = {};
  for (const [kind, text] of Object.entries(texts)) {
    await checked(page, text);
    said.results[name][kind] = {
      verdict: await page.textContent("#verdict"),
      kind: await page.getAttribute("#result", "class"),
      sign: await page.evaluate(() => getComputedStyle(document.getElementById("verdict"), "::before").content),
      odds: await page.textContent("#odds"),
      caution: await page.textContent("#caution"),
      facts: await page.evaluate(() =>
        Object.fromEntries([...document.querySelectorAll("#details dt")].map((dt) => [dt.textContent, dt.nextSibling.textContent])),
      ),
      cells: await page.locator("#details td, #details tbody th").allTextContents(),
      shades: await page.locator("#evidence .green, #evidence .red").count(),
    };
  }
  said.results[name].headings = await page.locator("#marks h3").allTextContents();
  said.results[name].standing = await page.textContent("#marks");
  if (name === "one") {
    said.landmarks = await page.evaluate(() => ({
      main: document.querySelectorAll("main").length,
      inside: ["#form", "#result", "#marks", "h1"].every((one) => document.querySelector(one).closest("main") !== null),
      around: ["body > header", "body > footer"].every((one) => document.querySelector(one) !== null),
    }));
    await checked(page, texts.human);
    await page.emulateMedia({ media: "print" });
    said.print = { human: await page.evaluate(() => document.body.innerText) };
    await page.emulateMedia({ media: "screen" });
    await checked(page, texts.marked);
    await page.emulateMedia({ media: "print" });
    said.print.marked = await page.evaluate(() => document.body.innerText);
  }
  await page.context().close();
}
// One line of so many characters: how long the page stands still when it comes, and while it is checked.
const line = texts.human.replaceAll(/\s+/g, " ");
for (const [size, way] of [[600_000, "paste"], [600_000, "drop"], [3_200_000, "paste"], [100_000, "keyboard"], [2_650_000, "keyboard"]]) {
  const page = await open();
  await page.evaluate(() => {
    window.still = 0;
    let last = performance.now();
    const beat = () => {
      const now = performance.now();
      window.still = Math.max(window.still, now - last);
      last = now;
      setTimeout(beat, 5);
    };
    beat();
  });
  const text = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  if (way === "drop") await drop(page, "long.txt", text);
  else if (way === "keyboard") {
    // A keyboard's clipboard puts in a text of many lines, and tells of each line.
    await page.fill("#text", text.replaceAll(/(.{999})./g, "$1\n"));
    await page.click("button.main");
  } else
    await page.evaluate((text) => {
      const area = document.getElementById("text");
      area.focus();
      const data = new DataTransfer();
      data.setData("text/plain", text);
      const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      if (area.dispatchEvent(paste)) document.execCommand("insertText", false, text);
      document.querySelector("button.main").click();
    }, text);
  await Promise.race([shown(page), page.waitForSelector("#problem:not([hidden])", { timeout: 120_000 })]);
  await page.waitForTimeout(200);
  const said_of = { still: await page.evaluate(() => window.still), problem: await page.textContent("#problem") };
  Object.assign(said_of, { area: (await page.inputValue("#text")).length, count: await page.textContent("#count") });
  said.long[`${way} ${size}`] = { ...said_of, excerpt: await page.isVisible("#excerpt") };
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify(said));
