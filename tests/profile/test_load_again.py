"""A profile that is loaded again shares tokenizer and tagger with a watermark that is in use."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

import stela_core as stela

TEXT = "The history of the city is long, and its people read many old books in the library. " * 3


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("again") / "p.stela"
    stela.create("stela", model="tiny-small", key="public", language="en").save(file)
    return file


def test_they_share_and_say_the_same(english: Path) -> None:
    first, second = stela.load(english), stela.load(english)
    assert first.contexts is not None
    assert second.contexts is first.contexts
    assert second.tokens is first.tokens
    assert second is not first
    assert first.detect(TEXT).p_value == second.detect(TEXT).p_value


def test_another_registry_or_tagger_shares_nothing(english: Path) -> None:
    first = stela.load(english)
    assert first.contexts is not None
    assert stela.load(english, registry=stela.create_registry()).contexts is not first.contexts
    given = stela.load(english, tagger=first.contexts.tagger)
    assert given.contexts is not first.contexts
    assert stela.load(english).contexts is first.contexts, "what was given a tagger is not what others share"


def test_nothing_is_kept_for_its_own_sake(english: Path) -> None:
    contexts = weakref.ref(stela.load(english).contexts)
    gc.collect()
    assert contexts() is None
