// For speed.py: opens a page some times, asks for one text, and says how long that took, as JSON.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { page: path, text: file, repeats } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const text = readFileSync(file, "utf8");
const executablePath = process.env.STELA_CHROMIUM ?? "/usr/bin/chromium";
const folder = mkdtempSync(join(tmpdir(), "stela-speed-"));
const TICKS = 100; // a second, of /proc

/** Processor seconds of a process and of all below it (Linux). */
function cpu(root) {
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      all.set(Number(pid), { parent: Number(parent), ticks: Number(rest[9]) + Number(rest[10]) });
    } catch {
      // it has ended
    }
  }
  const below = (pid) => pid === root || (all.has(pid) && all.get(pid).parent > 1 && below(all.get(pid).parent));
  return [...all].filter(([pid]) => below(pid)).reduce((sum, [, { ticks }]) => sum + ticks, 0) / TICKS;
}

const server = await chromium.launchServer({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const browser = await chromium.connect(server.wsEndpoint());
const said = { seconds: [], cpu: [], still: [], p_values: [] };

/** In the page: from the button to the frame with the verdict, and the longest time without a frame. */
function watch() {
  window.stela = new Promise((resolve, reject) => {
    const [result, problem] = ["result", "problem"].map((id) => document.getElementById(id));
    let [begun, last, still] = [0, 0, 0];
    const frame = () => {
      const now = performance.now();
      still = Math.max(still, now - last);
      last = now;
      if (!problem.hidden) reject(new Error(problem.textContent));
      else if (result.hidden) requestAnimationFrame(frame);
      else requestAnimationFrame(() => resolve({ seconds: (performance.now() - begun) / 1000, still: Math.max(still, performance.now() - last) }));
    };
    document.getElementById("form").addEventListener(
      "submit",
      () => {
        begun = last = performance.now();
        requestAnimationFrame(frame);
      },
      { capture: true, once: true },
    );
  });
}

for (let n = 0; n < repeats; n += 1) {
  const context = await browser.newContext({ locale: "en", acceptDownloads: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("#marks h3");
  await page.fill("#text", text);
  await page.waitForTimeout(1000);
  await page.evaluate(watch);
  const before = cpu(server.process().pid);
  await page.click("button.main");
  const { seconds, still } = await page.evaluate(() => window.stela);
  said.seconds.push(seconds);
  said.still.push(still);
  said.cpu.push(cpu(server.process().pid) - before);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const report = join(folder, `${n}.json`);
  await download.saveAs(report);
  said.p_values.push(JSON.parse(readFileSync(report, "utf8")).p_value);
  await context.close();
}
await browser.close();
await server.close();
console.log(JSON.stringify(said));
