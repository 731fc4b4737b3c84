"""The core asks for the expected power by name, and gives none where it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import uninstall

TEXT = ENGLISH * 2


@pytest.fixture
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("kgw", model="tiny", key=5, registry=registry, min_tokens=8)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch)


def test_it_is_given_where_it_is_installed(mark: stela.Watermark) -> None:
    detection = mark.detect(TEXT)
    assert 0 < detection.power < 1
    assert detection.to_dict()["power"] == detection.power


def test_nothing_else_depends_on_it(mark: stela.Watermark, request: pytest.FixtureRequest) -> None:
    said = mark.detect(TEXT).to_dict()
    request.getfixturevalue("without")
    detection = mark.detect(TEXT)
    assert detection.power is None
    assert detection.to_dict() == {name: value for name, value in said.items() if name != "power"}
    assert mark.detect("The city.").power == 0, "no text as short is found"


def test_the_command_does_without_it(
    mark: stela.Watermark, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    mark.save(tmp_path / "p.stela", key_file=tmp_path / "key.txt")
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    files = ("p.stela", "--key-file", "key.txt", "text.txt")
    words = ("detect", "--profile", *(name if name.startswith("-") else tmp_path / name for name in files))
    assert "is found in about" in run_cli(*words).out
    request.getfixturevalue("without")
    done = run_cli(*words)
    assert (done.status, done.err) == (0, "")
    assert "is found in about" not in done.out
