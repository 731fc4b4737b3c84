"""Gumbel marks under many keys: the early look names the key and the p-value that all tests do."""

from __future__ import annotations

from random import Random

import pytest
from stela_detection.search.candidates import Candidate
from stela_testing.texts import random_text

import stela_core as stela
from stela_core.profile.parts import LoadOptions, open_archive
from tests.tiers import Draws


@pytest.mark.parametrize("width", [1, 4])
def test_the_least_p_is_that_of_testing_all_keys(
    width: int, monkeypatch: pytest.MonkeyPatch, draws: Draws
) -> None:
    draw = Random(3)
    keys = [Candidate(key_id=f"c{n}", key=draw.getrandbits(64)) for n in range(draws(120, 40))]
    made = stela.create("gumbel", model="tiny", key=5, context_width=width, parameters={"once": width > 1})
    registry = stela.create_registry()
    parts = open_archive(made._created.archive, LoadOptions(registry, candidates=keys))
    mark = stela.Watermark(made._created.archive, None, registry, parts=parts)
    texts = [random_text(n, 10 + draws(20, 40) * n) for n in range(draws(6, 3))]
    soon = mark.detect_many(texts)
    monkeypatch.setattr("stela_detection.search.early_look.promising", lambda *_: None)
    assert soon == mark.detect_many(texts)
