"""Learned weights: what a reference model expects a mark to do, looked up with no model at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import stela_core as stela
from stela_core.api import ValueWeighting
from stela_learned.shipped import shipped_files, shipped_table

QUANTITIES = frozenset({"expected-gain", "spike-entropy", "gumbel-gain", "synthid-gain"})


class LearnedText(ValueWeighting):
    """Expected gain of a mark after the last characters of the text: no model, no tagger."""

    name = "learned-text"
    needs = frozenset({"text"})
    key = "characters"
    quantities = QUANTITIES
    reads = "what was learned"
    command = "stela lambda learn --model M --corpus F.jsonl"

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """The shipped table of the language.

        Raises:
            StelaError: there is none.
        """
        return shipped_table("text", language, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables by text, of all languages."""
        return shipped_files("text")


class Learned(ValueWeighting):
    """Expected gain of a mark after the last part-of-speech tags: STELA's table with learned values."""

    name = "learned"
    needs = frozenset({"contexts"})
    key = "tags"
    quantities = QUANTITIES
    reads = "what was learned"
    command = "stela lambda learn --tagger T --model M --corpus F.jsonl"

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """The shipped table of the tagger.

        Raises:
            StelaError: there is none.
        """
        return shipped_table("tags", tagger.name if tagger is not None else None, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables by tags, of all taggers."""
        return shipped_files("tags")


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Learned, LearnedText]
