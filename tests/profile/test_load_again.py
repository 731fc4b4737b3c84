"""A profile that is loaded again shares tokenizer and tagger with a watermark that is in use."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

import stela_core as stela

TEXT = "Die Geschichte der Stadt ist lang, und ihre Leute lesen viele alte Bücher. " * 3


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("again") / "p.stela"
    stela.create("stela", model="tiny-small", key="public", language="de").save(file)
    return file


def test_they_share_and_say_the_same(german: Path) -> None:
    first, second = stela.load(german), stela.load(german)
    assert first.contexts is not None
    assert second.contexts is first.contexts
    assert second.tokens is first.tokens
    assert second is not first
    assert first.detect(TEXT).p_value == second.detect(TEXT).p_value


def test_another_registry_or_tagger_shares_nothing(german: Path) -> None:
    first = stela.load(german)
    assert first.contexts is not None
    assert stela.load(german, registry=stela.create_registry()).contexts is not first.contexts
    given = stela.load(german, tagger=first.contexts.tagger)
    assert given.contexts is not first.contexts
    assert stela.load(german).contexts is first.contexts, "what was given a tagger is not what others share"


def test_nothing_is_kept_for_its_own_sake(german: Path) -> None:
    contexts = weakref.ref(stela.load(german).contexts)
    gc.collect()
    assert contexts() is None
