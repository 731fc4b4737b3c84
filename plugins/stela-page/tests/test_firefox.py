"""The page in Firefox: the same numbers, the same words, long texts, and nothing that complains."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stela_models.cli.demo_texts import HUMAN
from stela_testing import run_cli
from stela_testing.texts import marked_text

import stela_core as stela

from .marionette import Firefox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-page/tests/test_same_refusals.py::test_what_stela_detect_takes_the_page_takes_with_equal_results"
    ),
]

FIREFOX = os.environ.get("STELA_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
SCHEMES = ("learned-text", "gumbel", "synthid")

CHECK = """
const [text] = args;
window.said = window.said ?? [];
addEventListener("error", ({ message }) => said.push(message));
const until = async (what) => { while (!what()) await new Promise((next) => setTimeout(next, 30)); };
const shown = (id) => !document.getElementById(id).hidden;
await until(() => document.querySelector("#marks dl") !== null);
document.getElementById("clear").click();
let still = 0;
let last = performance.now();
const beat = setInterval(() => {
  const now = performance.now();
  [still, last] = [Math.max(still, now - last), now];
}, 5);
const area = document.getElementById("text");
area.value = text;
area.dispatchEvent(new InputEvent("input", { bubbles: true }));
document.querySelector("button.main").click();
await until(() => shown("result") || shown("problem"));
await new Promise((next) => setTimeout(next, 50));
clearInterval(beat);
// What is saved is a blob that a link of the page's own making leads to.
let saved = null;
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { saved = blob; return make(blob); };
HTMLAnchorElement.prototype.click = () => {};
if (shown("result")) document.getElementById("save").click();
URL.createObjectURL = make;
return {
  verdict: document.getElementById("verdict").textContent,
  problem: document.getElementById("problem").textContent,
  report: saved === null ? null : JSON.parse(await saved.text()),
  shaded: document.querySelector(".shaded")?.textContent ?? null,
  wide: document.documentElement.scrollWidth - innerWidth,
  still, said,
};
"""

EDIT = """
const area = document.getElementById("text");
area.value += " x";
area.dispatchEvent(new InputEvent("input", { bubbles: true }));
return [document.getElementById("result").hidden, document.getElementById("changed").textContent];
"""

READ = """
const data = new DataTransfer();
data.items.add(new File([args[0]], "a.docx"));
document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
await new Promise((next) => setTimeout(next, 500));
return document.getElementById("problem").textContent;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if FIREFOX is None:
        pytest.skip("needs Firefox: firefox-esr or firefox, or STELA_FIREFOX")
    with Firefox(FIREFOX, tmp_path_factory.mktemp("firefox")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[stela.Watermark, Path]]:
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, tuple[stela.Watermark, Path]] = {}
    for scheme in SCHEMES:
        path, page = folder / f"{scheme}.stela", folder / f"{scheme}.html"
        language = "en" if scheme == "learned-text" else None
        stela.create(scheme, model="tiny", language=language, key="public").save(path)
        assert run_cli("page", "--profile", str(path), "-o", str(page)).status == 0
        made[scheme] = stela.load(path), page
    return made


@pytest.mark.parametrize("scheme", SCHEMES)
def test_firefox_finds_what_stela_detect_finds(browser: Firefox, pages: Any, scheme: str) -> None:
    watermark, page = pages[scheme]
    browser.open(page.as_uri())
    for text in (marked_text(watermark, tokens=200), HUMAN["en"], HUMAN["zh"], HUMAN["ko"]):
        expected = watermark.detect(text)
        seen = browser.run(CHECK, text)
        assert seen["problem"] == ""
        assert seen["said"] == []
        assert seen["wide"] <= 0
        assert seen["report"]["p_value"] == pytest.approx(expected.p_value, rel=1e-9)
        assert seen["report"]["verdict"] == expected.verdict
        assert seen["shaded"] == (text if expected.verdict == "watermarked" else None)


def test_firefox_drops_a_verdict_with_its_text_and_tells_what_it_cannot_read(
    browser: Firefox, pages: Any
) -> None:
    watermark, page = pages["learned-text"]
    browser.open(page.as_uri())
    assert browser.run(CHECK, marked_text(watermark, tokens=100))["verdict"] == "A mark was found"
    hidden, told = browser.run(EDIT)
    assert hidden is True
    assert "check it again" in told
    assert "not a .docx document" in browser.run(READ, "no zip")


def test_a_long_line_does_not_stop_firefox(browser: Firefox, pages: Any) -> None:
    browser.open(pages["gumbel"][1].as_uri())
    line = " ".join(HUMAN["en"].split())
    seen = browser.run(CHECK, (line * (1 + 300_000 // len(line)))[:300_000])
    assert seen["problem"] == ""
    assert seen["still"] < 3000, "milliseconds; alone some 200"
