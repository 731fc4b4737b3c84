"""The page of a running service in Chromium: what it finds, what it sends, and that it says which."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from stela_testing.texts import ENGLISH, marked_text

import stela_core as stela
from stela_core.api import Archive

from .conftest import SECRET, Running, Start, make_demo, started

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-serve/tests/test_service.py::test_page_runs_nothing_but_its_own"
    ),
]

PLUGIN = Path(__file__).parents[2] / "stela-page"
CHROMIUM = os.environ.get("STELA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
NODE = shutil.which("node")
PICTURES = os.environ.get("STELA_PICTURES")

See = Callable[..., Any]

LANGUAGES = {"en": "English", "zh": "Chinese", "ko": "Korean"}


def name_of(path: Path) -> str:
    """What the page calls a profile's mark."""
    profile = Archive.read(path).profile
    language = "" if profile.language is None else f" for {LANGUAGES[profile.language]}"
    return f"{profile.scheme.name}{language}, key {profile.hasher.key_id}"


@pytest.fixture(scope="module")
def see(tmp_path_factory: pytest.TempPathFactory) -> See:
    """What happens in the browser."""
    if NODE is None or CHROMIUM is None:
        pytest.skip("needs node, and Chromium at /usr/bin/chromium or in STELA_CHROMIUM")
    if not (PLUGIN / "node_modules" / "playwright-core").is_dir():
        pytest.skip("needs npm ci in plugins/stela-page (make page-check)")

    def seen(url: str, marked: str, choices: list[str], texts: dict[str, Any]) -> Any:
        order = tmp_path_factory.mktemp("order") / "order.json"
        told = {"browser": CHROMIUM, "url": url, "marked": marked, "choices": choices, "texts": texts}
        order.write_text(json.dumps({**told, "pictures": PICTURES}), encoding="utf-8")
        command = [str(NODE), str(PLUGIN / "tests" / "served.mjs"), str(order)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=PLUGIN, check=False)
        assert done.returncode == 0, done.stderr[:1000]
        said = json.loads(done.stdout)
        assert [line for line in said["console"] if "status of 4" not in line] == []
        assert {key: found for key, found in said["axe"].items() if found} == {}
        assert all(width <= screen for width, screen in said["widths"].values())
        assert said.get("reached", ["blocked", 200]) == ["blocked", 200]
        assert ("reached" in said) == bool(texts)
        return said

    return seen


def test_texts_of_three_languages_stay_here(see: See, tmp_path: Path) -> None:
    """The profiles of make serve are public: the page looks for their marks itself."""
    make_demo(tmp_path)
    given = {file.stem: file.read_text(encoding="utf-8") for file in (tmp_path / "texts").iterdir()}
    texts = {
        language: {"marked": given[f"learned-{language}"], "human": given[f"human-{language}"]}
        for language in ("en", "zh", "ko")
    }
    names = [name_of(path) for path in sorted((tmp_path / "profiles").iterdir())]
    kgw = names[0]
    with started(
        tmp_path, "--profiles", str(tmp_path / "profiles"), "--workers", "1", "--rate", "0"
    ) as service:
        said = see(service.url, given["kgw"], ["all 4 marks", kgw], texts)
        asked = [text for each in texts.values() for text in each.values()]
        answers = httpx.post(f"{service.url}/v1/detect", json={"texts": asked}, timeout=60).json()["results"]
    assert said["options"] == ["all 4 marks", *names]
    seen = [one for each in said["texts"].values() for one in each.values()]
    for one, answer in zip(seen, answers, strict=True):
        assert one["p_value"] == pytest.approx(answer["p_value"], rel=1e-9)
        assert one["verdict"] == answer["verdict"]
        assert one["tests"] == 4
        assert one["requests"] == []
    assert {answer["verdict"] for answer in answers[::2]} == {"watermarked"}
    assert said["choices"][kgw]["p_value"] == pytest.approx(said["choices"]["all 4 marks"]["p_value"] / 4)
    assert said["choices"][kgw]["place"].startswith("The text stays on this computer")
    assert (
        "留" in said["texts"]["zh"]["marked"]["place"] or "不会离开" in said["texts"]["zh"]["marked"]["place"]
    )
    assert said["link"].startswith(f"{service.url}/#profile=")
    assert said["linked"]["requests"] == []
    assert said["linked"]["p_value"] == pytest.approx(said["choices"][kgw]["p_value"], rel=1e-12)
    assert said["keyboard"].startswith("A mark was found")
    assert {"wanted", "file", "clear", "save", "print"} <= set(said["order"])


def test_texts_are_sent_for_what_a_browser_cannot_test(
    see: See, running: Running, marks: stela.Watermarks
) -> None:
    text = marked_text(marks[SECRET], seed=3)
    every, here = "all 4 marks", "only the 2 for which the text stays here"
    secret = name_of(running.profiles / SECRET)
    texts = {language: {"marked": text} for language in ("en", "zh", "ko")}
    said = see(running.service.url, text, [here, secret, every], texts)
    by_choice = said["choices"]
    posted = f"POST {running.service.url}/v1/detect"
    assert by_choice[here]["requests"] == []
    assert by_choice[here]["tests"] == 2
    assert by_choice[here]["place"].startswith("The text stays on this computer")
    assert set(by_choice[secret]["requests"]) == set(by_choice[every]["requests"]) == {posted}
    assert by_choice[secret]["place"].startswith("The text is sent to this server (127.0.0.1")
    assert "for 2 of the 4 marks" in by_choice[every]["place"]
    assert by_choice[secret]["shaded"] == 0, "colours of a secret key are not told"
    [alone] = running.results(text=text, profile=SECRET)
    [best] = running.results(text=text)
    assert by_choice[secret]["p_value"] == alone["p_value"]
    assert by_choice[every]["p_value"] == pytest.approx(best["p_value"], rel=1e-12)
    assert by_choice[every]["verdict"] == best["verdict"] == "watermarked"
    assert said["after_file"]["requests"] == []
    assert said["after_file"]["place"] == by_choice[every]["place"]
    assert said["after_choice"] == {"verdict": False, "changed": True}
    assert "서버" in said["texts"]["ko"]["marked"]["place"]


def test_a_service_that_keeps_its_profiles_and_has_too_much_to_do(
    see: See, start: Start, running: Running
) -> None:
    kgw = name_of(running.profiles / "kgw.stela")
    with start("--workers", "1", "--keep-profiles", "--rate", "4") as service:
        said = see(service.url, ENGLISH, [kgw, "all 4 marks"], {})
    assert said["link"] is None
    assert said["choices"][kgw]["requests"] != []
    assert said["choices"][kgw]["marks"][0]["profile"]["scheme"] == "kgw"
    assert said["choices"]["all 4 marks"]["problem"].startswith(
        "The server has too much to do: try again in "
    )
