"""Learned weights: what a reference model expects a mark to do, looked up with no model at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stela_tables.shipped import ShippedTables
from stela_tables.weightings import ValueWeighting

import stela_core as stela
from stela_learned.likelihood import LearnedLikelihood

QUANTITIES = frozenset({"expected-gain", "spike-entropy", "gumbel-gain", "synthid-gain"})

SHIPPED = ShippedTables(Path(__file__).parent / "tables", "stela lambda learn")
EARLIER = ShippedTables(SHIPPED.folder / "earlier", SHIPPED.command)
"""Tables that an earlier version took for new profiles: those profiles hold them, so they are still known."""


BY_TEXT = ("text", "gumbel", "synthid")
"""Kinds of tables by text: for green lists, Gumbel marks, tournaments."""

OF_DRAWS = {"exponential": "gumbel", "bernoulli": "synthid"}
"""The kind of table for marks whose draws are these."""


def kind_for(law: stela.Law) -> str:
    """The kind of table by text that goes with a mark; that of green lists where it has none."""
    return "text" if law.is_green_list else OF_DRAWS.get(law.draws, "text")


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
        return SHIPPED.read("text", language, cls.name)

    @classmethod
    def own_table_for(
        cls, law: stela.Law, language: str | None, tagger: stela.Tagger | None, k: int | None
    ) -> bytes | None:
        """The language's table for a Gumbel mark or a tournament, where there is one, or for green lists.

        Raises:
            StelaError: there is none.
        """
        kind = kind_for(law)
        return SHIPPED.read(kind if language in SHIPPED.names(kind) else "text", language, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables by text, of all languages and kinds of mark, earlier ones among them."""
        return [path for kind in BY_TEXT for path in [*SHIPPED.files(kind), *EARLIER.files(kind)]]


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
        return SHIPPED.read("tags", tagger.name if tagger is not None else None, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables by tags, of all taggers."""
        return SHIPPED.files("tags")


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Learned, LearnedText, LearnedLikelihood]
