"""What readers of the page meet, in Chromium: no old verdict, no mark that was not found, the right words."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from stela_models.cli.demo_texts import HUMAN
from stela_testing import run_cli
from stela_testing.texts import marked_text

import stela_core as stela

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-page/tests/test_same_refusals.py::test_what_stela_detect_takes_the_page_takes_with_equal_results"
    ),
]

JAPANESE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー"
    "泣いていた事だけは記憶している。吾輩はここで始めて人間というものを見た。"
)


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of three languages; their files have names that are not marks' names."""
    folder = tmp_path_factory.mktemp("readers")
    paths = {language: folder / f"final-v2-{language}.stela" for language in ("en", "zh", "ko")}
    for language, path in paths.items():
        stela.create("learned-text", model="tiny", language=language, key="public").save(path)
    return paths


@pytest.fixture(scope="module")
def texts(profiles: dict[str, Path]) -> dict[str, str]:
    marked = marked_text(stela.load(profiles["en"]), tokens=200)
    human = {"human": HUMAN["en"], "chinese": HUMAN["zh"], "japanese": JAPANESE}
    return {"marked": marked, "capitals": marked.upper(), **human}


@pytest.fixture(scope="module")
def said(
    in_browser: Callable[..., dict[str, Any]],
    profiles: dict[str, Path],
    texts: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """What happened in the browser."""
    folder = tmp_path_factory.mktemp("pages")
    one, several = folder / "one.html", folder / "several.html"
    assert run_cli("page", "--profile", str(profiles["en"]), "-o", str(one)).status == 0
    assert run_cli("page", "--profile", *map(str, profiles.values()), "-o", str(several)).status == 0
    seen = in_browser("readers.mjs", page=str(one), several=str(several), texts=texts)
    assert seen["errors"] == []
    return seen


def key_of(path: Path) -> str:
    return str(stela.load(path).profile.hasher.key_id)


def test_no_old_verdict_stands_under_a_new_text(said: dict[str, Any]) -> None:
    stands = said["stands"]
    assert stands["typed"] == {"verdict": False, "changed": True}
    assert "was changed after the check" in stands["announced"]
    assert stands["again"] == {"verdict": True, "changed": False}
    assert stands["unreadable"]["verdict"] is False
    assert stands["dropped"] == {"verdict": True, "changed": False, "said": "No mark was found"}
    assert stands["while_checked"]["verdict"] is False
    assert stands["after"] == "A mark was found"


@pytest.mark.parametrize("page", ["one", "several"])
def test_what_was_not_found_is_not_named_and_not_shaded(
    said: dict[str, Any], profiles: dict[str, Path], page: str
) -> None:
    name = f"learned-text for English, key {key_of(profiles['en'])}"
    marked = said["results"][page]["marked"]
    assert marked["facts"]["Which mark"] == name
    assert marked["shades"] > 100
    for kind in ("human", "chinese", "japanese"):
        seen = said["results"][page][kind]
        assert not {"Which mark", "Made by"} & set(seen["facts"])
        assert seen["shades"] == 0
    chinese = said["results"]["several"]["chinese"]
    assert chinese["verdict"] == "No mark was found"
    assert "Pieces the key favours" not in chinese["facts"]
    names = chinese["cells"][::3]
    assert [one.split()[2].strip(",") for one in names] == ["English", "Chinese", "Korean"], (
        "in the page's order"
    )


def test_signs_are_no_ticks(said: dict[str, Any]) -> None:
    signs = {kind: seen["sign"] for kind, seen in said["results"]["one"].items() if isinstance(seen, dict)}
    assert signs["marked"].startswith('"◆"')
    assert not any(re.search("[✓✔☑✅]", sign) for sign in signs.values())


def test_it_says_how_a_text_in_capitals_was_read(said: dict[str, Any]) -> None:
    capitals, marked = (said["results"]["one"][kind] for kind in ("capitals", "marked"))
    assert capitals["verdict"] == "A mark was found"
    assert "as if its sentences were not in capitals" in capitals["facts"]["Reading"]
    assert "Reading" not in marked["facts"]


def test_a_text_in_a_script_that_no_mark_is_for_is_told_so(said: dict[str, Any]) -> None:
    one, several = said["results"]["one"], said["results"]["several"]
    for seen, languages in (
        (one["japanese"], "English"),
        (one["chinese"], "English"),
        (several["japanese"], "English, Chinese, and Korean"),
    ):
        assert seen["kind"] == "card foreign"
        assert seen["verdict"] == "No mark here is for texts in this script"
        assert f"for texts in {languages}," in seen["odds"]
        assert "says nothing" in seen["odds"]
    assert several["chinese"]["kind"] == "card none"
    assert one["human"]["kind"] == "card none"


def test_the_base_rate_stands_beside_a_verdict(said: dict[str, Any]) -> None:
    caution = said["results"]["one"]["marked"]["caution"]
    assert "not the chance that nobody marked the text" in caution
    assert "Of 10,000 texts that nobody marked, about 10 are called marked" in caution
    assert "A text by itself accuses nobody" in caution
    assert "does not say that a person wrote" in said["results"]["one"]["human"]["caution"]


def test_odds_end_at_a_billion_and_p_is_told(
    said: dict[str, Any], profiles: dict[str, Path], texts: dict[str, str]
) -> None:
    marked = said["results"]["one"]["marked"]
    p = stela.load(profiles["en"]).detect(texts["marked"]).p_value
    assert p < 1e-12
    assert marked["odds"].startswith("Fewer than 1 in 1 billion texts")
    digits, power = f"{p:.2e}".split("e")
    raised = "".join("⁻" if one == "-" else "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(one)] for one in str(int(power)))
    assert marked["facts"]["p-value"] == f"{digits} × 10{raised}"


def test_marks_have_names_and_files_have_files_names(said: dict[str, Any], profiles: dict[str, Path]) -> None:
    seen = said["results"]["several"]
    expected = {"en": "English", "zh": "Chinese", "ko": "Korean"}
    assert seen["headings"] == [
        f"learned-text for {name}, key {key_of(profiles[language])}" for language, name in expected.items()
    ]
    assert "File of the profilefinal-v2-en.stela" in seen["standing"]


def test_a_print_has_date_and_hashes(
    said: dict[str, Any], profiles: dict[str, Path], texts: dict[str, str]
) -> None:
    for kind in ("marked", "human"):
        printed = said["print"][kind]
        assert sha256(texts[kind].encode()).hexdigest() in printed
        assert printed.count(said["results"]["one"][kind]["facts"]["SHA-256 of the profile"]) == 2
        assert re.search(r"Checked on\n[A-Z][a-z]+ \d+, 20\d\d at \d+:\d\d:\d\d", printed)
        assert "Check the text" not in printed
    assert " ".join(texts["human"].split())[:200] in " ".join(said["print"]["human"].split())


def test_the_page_has_landmarks(said: dict[str, Any]) -> None:
    assert said["landmarks"] == {"main": 1, "inside": True, "around": True}


def test_a_long_line_does_not_stop_the_page(said: dict[str, Any]) -> None:
    long = said["long"]
    # Alone .05 to .3 seconds; as a text area lays it out it was 4 to 6, and 80 of the longest.
    assert all(seen["still"] < 2500 for seen in long.values()), long
    assert all(seen["excerpt"] and seen["area"] < 3000 for seen in long.values())
    assert long["paste 600000"]["problem"] == long["drop 600000"]["problem"] == ""
    assert long["drop 600000"]["count"] == "From the file long.txt: 600,000 characters"
    assert "at most 3,000,000" in long["paste 3200000"]["problem"]
    assert long["paste 3200000"]["count"] == "3,200,000 characters (at most 3,000,000 can be checked)"
    assert long["keyboard 100000"]["problem"] == ""
    assert long["keyboard 100000"]["count"] == "100,000 characters"
    assert long["keyboard 2650000"]["problem"] == ""
    assert long["keyboard 2650000"]["count"] == "2,650,000 characters"
