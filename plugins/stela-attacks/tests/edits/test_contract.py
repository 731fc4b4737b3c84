"""Every attack holds the contract."""

from __future__ import annotations

import pytest
import stela_run
from stela_attacks.edits import (
    Case,
    Contraction,
    Delete,
    Emoji,
    Homoglyph,
    Insert,
    Misspelling,
    Paste,
    Punctuation,
    Sentences,
    Swap,
    Template,
    Truncate,
    Typo,
)
from stela_run.testing import AttackContract
from stela_run.testing.texts import PROMPTS

from .making import attack


class TestDrawn(AttackContract):
    @pytest.fixture(
        scope="class", params=[Delete, Insert, Swap, Paste, Typo, Misspelling, Homoglyph, Punctuation, Emoji]
    )
    @classmethod
    def attack(cls, request: pytest.FixtureRequest) -> stela_run.Attack:
        return attack(request.param, share=0.3)


class TestUndrawn(AttackContract):
    draws = False

    @pytest.fixture(
        scope="class", params=[(Truncate, {"share": 0.3}), (Case, {}), (Contraction, {}), (Template, {})]
    )
    @classmethod
    def attack(cls, request: pytest.FixtureRequest) -> stela_run.Attack:
        kind, parameters = request.param
        return attack(kind, **parameters)


class TestSentences(AttackContract):
    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls) -> stela_run.Attack:
        return attack(Sentences)

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [f"{prompt}. It rained. Was it true? Nobody knew!" for prompt in PROMPTS]
