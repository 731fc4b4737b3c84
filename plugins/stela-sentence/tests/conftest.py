"""Marks made from prose, and a writer that needs no model: candidates are sentences of that prose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from stela_sentence.calibrate import documents
from stela_sentence.create import create_mark
from stela_sentence.mark import SentenceMark
from stela_sentence.mark_file import Kind, MarkFile
from stela_sentence.ngrams import Ngrams
from stela_sentence.writing import Draw
from stela_testing.texts import little_english

KINDS: tuple[Kind, ...] = ("semstamp", "k-semstamp", "simmark")
KEY = 0x1234567890ABCDEF
PIECE = 2_000
"""Characters of one text of the prose."""


@pytest.fixture(scope="session")
def prose() -> list[str]:
    whole = little_english()
    return [whole[start : start + PIECE] for start in range(0, len(whole), PIECE)]


@pytest.fixture(scope="session")
def human(prose: list[str]) -> list[list[str]]:
    """The sentences of each text."""
    return list(documents(prose))


@pytest.fixture(scope="session")
def files(prose: list[str]) -> dict[Kind, MarkFile]:
    return {kind: create_mark(kind, Ngrams(), prose, KEY, public=True) for kind in KINDS}


@pytest.fixture(params=KINDS)
def mark(request: pytest.FixtureRequest, files: dict[Kind, MarkFile]) -> SentenceMark:
    return SentenceMark(files[request.param], KEY, Ngrams())


@pytest.fixture(scope="session")
def drawing(human: list[list[str]]) -> Callable[[int], Draw]:
    """What draws sentences of the prose; the number of a text and of a candidate decide which."""
    every = [sentence for some in human for sentence in some if sentence[-1] in ".!?"]
    pool = [one for one in every if 5 <= len(one.split()) <= 40 and one.replace(" ", "a")[:-1].isalnum()]

    def of_text(number: int) -> Draw:
        def draw(text: str, first: int, n: int) -> list[str]:
            draws = [np.random.default_rng([number, len(text), first + k]) for k in range(n)]
            return [f" {pool[each.integers(len(pool))]} And" for each in draws]

        return draw

    return of_text
