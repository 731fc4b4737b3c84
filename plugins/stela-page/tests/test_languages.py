"""The page in each of its languages, in Chromium on a narrow screen: nothing runs out, or the wrong way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_testing import run_cli
from stela_testing.texts import marked_text

import stela_core as stela

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-page/tests/test_page.py::test_a_page_holds_its_profiles_and_refers_to_nothing"
    ),
]

PLUGIN = Path(__file__).parents[1]
WORDS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (PLUGIN / "web/words").glob("*.json")
}
RIGHT_TO_LEFT = {"ar"}


@pytest.fixture(scope="module")
def said(
    in_browser: Callable[..., dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the browser showed."""
    folder = tmp_path_factory.mktemp("languages")
    profiles = [folder / f"{language}.stela" for language in ("en", "zh", "ko")]
    for path in profiles:
        stela.create("learned-text", model="tiny", language=path.stem, key="public").save(path)
    page = folder / "page.html"
    assert run_cli("page", "--profile", *map(str, profiles), "-o", str(page)).status == 0
    texts = {"marked": marked_text(stela.load(profiles[0]), tokens=200), "arabic": "هذا نص"}
    seen = in_browser("languages.mjs", page=str(page), languages=sorted(WORDS), texts=texts)
    assert seen["errors"] == []
    return seen


@pytest.mark.parametrize("language", sorted(WORDS))
def test_the_page_speaks_each_language(said: dict[str, Any], language: str) -> None:
    seen, words = said["seen"][language], WORDS[language]
    assert seen["lang"] == re.sub("-u-.*", "", words["tag"])
    assert (seen["title"], seen["verdict"]) == (words["title"], words["found"])
    assert seen["gaps"] == []
    assert seen["axe"] == []


@pytest.mark.parametrize("language", sorted(WORDS))
def test_nothing_runs_out_of_a_narrow_screen(said: dict[str, Any], language: str) -> None:
    assert said["seen"][language]["out"] == []
    assert said["seen"][language]["wide"] <= 340
    assert said["seen"][language]["table"]


@pytest.mark.parametrize("language", sorted(WORDS))
def test_the_page_runs_the_way_of_its_language(said: dict[str, Any], language: str) -> None:
    seen = said["seen"][language]
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    assert (seen["dir"], seen["empty"]) == (direction, direction)
    assert (seen["bar"] == "5px") is (language in RIGHT_TO_LEFT)
    assert seen["cell"] == "start"


@pytest.mark.parametrize("language", sorted(WORDS))
def test_texts_run_their_own_way_and_keys_and_numbers_from_left_to_right(
    said: dict[str, Any], language: str
) -> None:
    seen = said["seen"][language]
    assert (seen["arabic"], seen["english"], seen["shaded"]) == ("rtl", "ltr", "ltr")
    assert (seen["code"], seen["power"]) == ("ltr", True)
    # A name is isolated in a sentence from right to left, and as it is elsewhere.
    assert ("\u2068learned-text\u2069" in seen["name"]) is (language in RIGHT_TO_LEFT)


def test_a_browser_that_cannot_unpack_the_words_is_told_so(said: dict[str, Any]) -> None:
    assert said["old"]["told"].startswith("This browser is too old for this page")
    assert not said["old"]["form"]
