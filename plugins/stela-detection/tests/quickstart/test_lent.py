"""The core asks for a quick start by name, once, and gives the same without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from stela_detection.quickstart import provider
from stela_models import ModelSource
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.files.state import state_folder
from stela_core.text import own_tokenizer
from stela_core.text.own_tokenizer import LARGE, OwnTokenizer, quick_start


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "state"))
    own_tokenizer._lent.cache_clear()
    yield
    own_tokenizer._lent.cache_clear()


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_tokenizer, "lent", lambda name: None)


def test_it_is_asked_for_large_files_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert quick_start(b" " * (LARGE - 1)) is None
    assert quick_start(b" " * LARGE) is provider
    monkeypatch.setattr(own_tokenizer, "lent", None)
    assert quick_start(b" " * LARGE) is provider


def test_profiles_and_results_are_the_same_without_it(
    tmp_path: Path, registry: stela.Registry, request: pytest.FixtureRequest
) -> None:
    folder = registry.get(ModelSource, "tiny").location()
    path, key = tmp_path / "p.stela", "5354454c41303231"
    stela.create("kgw", model="tiny", language="en", key=key).save(path, key_file=tmp_path / "key.txt")
    data = OwnTokenizer.of_file(Path(folder) / "tokenizer.json").data
    by_part = stela.load(path, key=key)
    assert not isinstance(by_part._tokenizer, type(by_part.tokenizer)), "it is read by part"
    found = by_part.detect(ENGLISH)
    remembered = sorted(file.name for file in state_folder().iterdir() if "oken" in file.name)
    request.getfixturevalue("without")
    own_tokenizer._lent.cache_clear()
    for file in remembered:
        (state_folder() / file).unlink()
    plain = stela.load(path, key=key)
    assert plain._tokenizer is plain.tokenizer
    assert plain.detect(ENGLISH) == found
    assert plain.tokenizer.to_str() == by_part.tokenizer.to_str()
    assert OwnTokenizer.of_file(Path(folder) / "tokenizer.json").data == data
    assert not [file for file in remembered if (state_folder() / file).exists()]
