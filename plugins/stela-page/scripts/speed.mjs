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
const said = { seconds: [], cpu: [], p_values: [] };
for (let n = 0; n < repeats; n += 1) {
  const context = await browser.newContext({ locale: "en", acceptDownloads: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("#marks h3");
  await page.fill("#text", text);
  await page.waitForTimeout(1000);
  const [begun, before] = [performance.now(), cpu(server.process().pid)];
  await page.click("button.main");
  await page.waitForSelector("#result:not([hidden])", { timeout: 120_000 });
  said.seconds.push((performance.now() - begun) / 1000);
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
