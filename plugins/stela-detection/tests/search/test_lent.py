"""The core asks for passages by name, and says what to install where they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_detection.search.candidates import Candidate
from stela_testing import assert_refused, run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import uninstall

TEXT = ENGLISH * 3
HINT = "looking for passages needs stela-detection. hint: pip install stela-detection"


@pytest.fixture
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("kgw", model="tiny", key=5, registry=registry, min_tokens=8)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch, "stela_detection.search")


def test_windows_are_scanned_where_it_is_installed(mark: stela.Watermark) -> None:
    detection = mark.with_passage(mark.detect(TEXT))
    assert detection.window is not None
    assert detection.window.windows > 1


@pytest.mark.usefixtures("without")
def test_python_says_what_to_install(mark: stela.Watermark) -> None:
    detection = mark.detect(TEXT)
    with pytest.raises(stela.StelaError) as raised:
        mark.with_passage(detection)
    assert str(raised.value) == HINT


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("profiles", [1, 2])
def test_the_command_says_what_to_install(registry: stela.Registry, tmp_path: Path, profiles: int) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    words: list[object] = ["detect", tmp_path / "text.txt"]
    for scheme in ("kgw", "unigram")[:profiles]:
        made = stela.create(scheme, model="tiny", key="public", registry=registry)
        made.save(tmp_path / f"{scheme}.stela")
        words += ["--profile", tmp_path / f"{scheme}.stela"]
    assert run_cli(*words).status == 0
    assert_refused(run_cli(*words, "--windows"), HINT)


@pytest.mark.usefixtures("without")
def test_candidate_keys_say_what_to_install(mark: stela.Watermark, tmp_path: Path) -> None:
    mark.save(tmp_path / "p.stela", key_file=tmp_path / "key.txt")
    with pytest.raises(stela.StelaError) as raised:
        stela.load(tmp_path / "p.stela", candidates=[Candidate(key_id="a", key=1)])
    assert str(raised.value) == (
        "testing for candidate keys needs stela-detection. hint: pip install stela-detection"
    )
