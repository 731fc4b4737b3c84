"""What every attack is held to: the same seed gives the same texts, and each text is changed by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import Any, ClassVar

import pytest
from stela_models.loaded import Models

from stela_core import StelaError, create_registry
from stela_run.attack import Attack, Circumstances
from stela_run.testing.preflights import check_preflight, one_line
from stela_run.testing.texts import HUMAN, PROMPTS

TEXTS = tuple(f"{prompt} {text}" for prompt, text in zip(PROMPTS, HUMAN, strict=True))

ODD = ("", " ", "...", "\n", "42", "\ud800", "🌉🌉", "שלום עולם", "a\u200bb", "도시는 크다. 城市很大。")
"""Texts with few words or none, of other scripts, and one that is not well-formed."""


class AttackContract:
    """Subclass in your tests, with a fixture ``attack``; ``texts`` and ``circumstances`` as it needs them."""

    draws: ClassVar[bool] = True
    """Whether another seed gives other texts."""

    odd: ClassVar[Sequence[str]] = ODD
    """Texts that few think of: each is changed, left as it is, or refused in one line."""

    longest: ClassVar[int] = 20_000
    """Characters of the long text."""

    seconds: ClassVar[float] = 20.0
    """CPU time that the long text may take."""

    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls) -> Attack[Any]:
        """The attack under test."""
        raise NotImplementedError("override the fixture attack")

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> Sequence[str]:
        """What is attacked; of an attack that learns, those that it learns from come first."""
        return TEXTS

    @pytest.fixture(scope="class")
    @classmethod
    def circumstances(cls) -> Circumstances:
        """What an attacker has besides the texts; by default that of eight prompts in English."""
        return Circumstances("en", 7, PROMPTS, HUMAN, Models(create_registry(), "cpu"))

    def test_one_text_for_each(
        self, attack: Attack[Any], texts: Sequence[str], circumstances: Circumstances
    ) -> None:
        """There is one text for each that is not studied; what is given is not changed."""
        given, prompts, human = list(texts), list(circumstances.prompts), list(circumstances.human)
        handed = list(texts)
        changed = attack.apply(handed, circumstances)
        assert isinstance(changed, list)
        assert all(isinstance(text, str) for text in changed)
        assert len(changed) == len(texts) - attack.studied
        assert (handed, list(circumstances.prompts), list(circumstances.human)) == (given, prompts, human)

    def test_same_seed_same_texts(
        self, attack: Attack[Any], texts: Sequence[str], circumstances: Circumstances
    ) -> None:
        """Equal seeds give equal texts, by another object too; another seed gives others if it is used."""
        first = attack.apply(texts, circumstances)
        assert attack.apply(texts, circumstances) == first
        assert type(attack)(attack.parameters).apply(texts, circumstances) == first
        other = attack.apply(texts, replace(circumstances, seed=circumstances.seed + 1))
        assert (other != first) == self.draws

    def test_a_text_is_changed_by_itself(
        self, attack: Attack[Any], texts: Sequence[str], circumstances: Circumstances
    ) -> None:
        """A text is changed alike in any order and by itself; those that are studied are not moved."""
        studied, count = attack.studied, len(texts)
        together = attack.apply(texts, circumstances)
        for order in (list(range(studied, count))[::-1], [studied], [count - 1]):
            rows = [*range(studied), *order]
            prompts = [circumstances.prompts[row] for row in rows]
            some = attack.apply([texts[row] for row in rows], replace(circumstances, prompts=prompts))
            assert some == [together[row - studied] for row in order]

    def test_odd_texts(self, attack: Attack[Any], texts: Sequence[str], circumstances: Circumstances) -> None:
        """Texts without words, of other scripts, not well-formed: a text for each, or one line."""
        studied = list(texts[: attack.studied])
        one = replace(circumstances, prompts=circumstances.prompts[: attack.studied + 1])
        for odd in self.odd:
            try:
                [changed] = attack.apply([*studied, odd], one)
            except StelaError as error:
                one_line(error)
            else:
                assert isinstance(changed, str)

    def test_a_long_text_takes_bounded_time(
        self, attack: Attack[Any], texts: Sequence[str], circumstances: Circumstances
    ) -> None:
        """A long text is changed in the CPU time that the contract names, or refused in one line."""
        studied = list(texts[: attack.studied])
        one = replace(circumstances, prompts=circumstances.prompts[: attack.studied + 1])
        repeated = " ".join(TEXTS) + " "
        long = (repeated * (1 + self.longest // len(repeated)))[: self.longest]
        began = process_time()
        try:
            attack.apply([*studied, long], one)
        except StelaError as error:
            one_line(error)
        assert process_time() - began < self.seconds

    def test_what_is_missing_is_found_before_a_run(self, attack: Attack[Any]) -> None:
        """``check`` asks the preflight, and lets its error through."""
        check_preflight(attack)

    def test_languages_are_codes(self, attack: Attack[Any]) -> None:
        """Codes have two or three letters, and what may follow a hyphen."""
        for code in type(attack).languages or ():
            assert code.partition("-")[0].isalpha()
            assert code.partition("-")[0].islower()
            assert 2 <= len(code.partition("-")[0]) <= 3
