"""The rows, and texts that anyone can look up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_corpora.sample import Sample
from stela_run.plan.schema import Language
from stela_run.plan.texts import read_texts

import stela_core as stela

LANGUAGES = ["en", "zh", "ko"]


def rows(language: str) -> list[dict[str, str]]:
    lines = Sample.location(language).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("language", "least"), [("en", 180), ("zh", 320), ("ko", 420)])
def test_rows(language: str, least: int) -> None:
    found = rows(language)
    assert len(found) >= 40
    assert len({row["prompt"] for row in found}) == len(found)
    for row in found:
        assert set(row) == {"prompt", "continuation", "source"}
        length = len(row["continuation"].split()) if language == "en" else len(row["continuation"])
        assert length >= least
        assert row["prompt"] not in row["continuation"]
        assert "<" not in row["prompt"] + row["continuation"]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "All human beings are born free and equal in dignity and rights."),
        ("en", "No one shall be held in slavery or servitude;"),
        ("zh", "人人生而自由，在尊严和权利上一律平等。"),
        ("zh", "任何人不得使为奴隶或奴役；"),
        ("ko", "대한민국의 주권은 국민에게 있고, 모든 권력은 국민으로부터 나온다."),
        ("ko", "모든 국민은 인간으로서의 존엄과 가치를 가지며, 행복을 추구할 권리를 가진다."),
    ],
)
def test_holds_what_everyone_knows(language: str, sentence: str) -> None:
    assert any(sentence in row["continuation"] for row in rows(language))


def test_first_rows_lie_apart() -> None:
    for language in LANGUAGES:
        first, second, *_ = rows(language)
        assert second["prompt"] not in first["continuation"]


def test_the_runner_reads_it(registry: stela.Registry) -> None:
    for language in LANGUAGES:
        texts, note = read_texts(registry, language, Language(tagger="any"), None, 40)
        assert len(texts.prompts) == len(texts.human) == 40
        assert note is not None
        assert "sample" in note


def test_other_language() -> None:
    with pytest.raises(stela.StelaError, match='no texts in "de"') as raised:
        Sample.location("de")
    assert "\n" not in str(raised.value)
    with pytest.raises(stela.StelaError):
        Sample.location("../texts/en")


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in Path(Sample.location("en")).parent.iterdir()) < 300_000
