"""A page measured in Chromium at the width of a window: what runs out of it, and what lies over what."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("STELA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=10000")
SECONDS = 120

# The page is in a frame of that width: a window is not made narrower than 500 pixels.
MEASURE = """
<script>
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  const root = page.documentElement;
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  const boxes = (selector) => [...page.querySelectorAll(selector)].map((e) => [e, e.getBoundingClientRect()]);
  const clipped = [];
  for (const [svg, figure] of boxes("figure svg")) {
    for (const text of svg.querySelectorAll("text")) {
      const own = text.getBoundingClientRect();
      const over = Math.max(
        figure.left - own.left, own.right - figure.right, figure.top - own.top, own.bottom - figure.bottom);
      if (over > 1) clipped.push(text.textContent);
    }
  }
  const badges = boxes(".warn");
  const outside = badges.filter(([e, own]) => {
    const around = (e.closest("figure, .scroll") ?? page.body).getBoundingClientRect();
    return own.right > around.right + 1 || own.left < around.left - 1;
  });
  const overlapping = badges.filter(([, a], n) => badges.slice(n + 1).some(([, b]) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
  const words = ([e]) => e.textContent;
  const found = {
    width: root.clientWidth, scroll: root.scrollWidth, clipped,
    figures: boxes("figure svg").length, badges: badges.map(words),
    outside: outside.map(words), overlapping: overlapping.map(words),
    answered: Math.max(0, ...boxes("#answer li:first-child").slice(0, 1).map(([, own]) => own.bottom)),
    names: Math.min(...boxes("tbody th.pin").map(([, own]) => own.width)),
  };
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
});
</script>
"""


def measured(page: Path, width: int, folder: Path) -> dict[str, Any]:
    """What a page shows in so many pixels; a test without Chromium is skipped.

    Args:
        page: the file.
        width: pixels.
        folder: for what Chromium is given.
    """
    if CHROMIUM is None:
        pytest.skip("needs Chromium, at /usr/bin/chromium or in STELA_CHROMIUM")
    content = html.escape(page.read_text(encoding="utf-8"))
    frame = f'<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{content}"></iframe>'
    around = folder / f"around-{width}.html"
    around.write_text(f'<meta charset="utf-8">{frame}{MEASURE}', encoding="utf-8")
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'chromium'}", "--window-size=1400,1000"]
    shown = subprocess.run(
        [*command, "--dump-dom", around.as_uri()], capture_output=True, text=True, timeout=SECONDS
    )
    result = re.search(r'<pre id="result">(.*?)</pre>', shown.stdout, re.DOTALL)
    assert result, shown.stderr[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(result[1]))
    assert found["width"] == width
    return found
