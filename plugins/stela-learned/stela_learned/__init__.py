"""Learned weights: what a reference model expects a mark to do, looked up with no model at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import Calibration, Key, Table, ValueTable
from stela_learned.shipped import shipped_files, shipped_table

QUANTITIES = frozenset({"expected-gain", "spike-entropy"})


class LearnedText(stela.Weighting[stela.Parameters, ValueTable]):
    """Expected gain of a mark after the last characters of the text: no model, no tagger."""

    name = "learned-text"
    needs = frozenset({"text"})
    uses_table = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """The value of the longest known end of the text before each position."""
        return np.fromiter(map(self.table.of_text, positions.text), float, positions.count)

    def mean(self, calibration: Calibration) -> float:
        """Mean value over the tokens it was learned from, or over the table's contexts."""
        return self.table.mean(calibration)

    @classmethod
    def check_table(cls, table: Table) -> None:
        """Refuse a table of something else."""
        check(cls.name, "characters", table, "stela lambda learn --model M --corpus F.jsonl")

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


class Learned(stela.Weighting[stela.Parameters, ValueTable]):
    """Expected gain of a mark after the last part-of-speech tags: STELA's table with learned values."""

    name = "learned"
    needs = frozenset({"contexts"})
    uses_table = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """The value of the longest known suffix of each POS context."""
        return np.fromiter(map(self.table.of_tags, positions.contexts), float, positions.count)

    def mean(self, calibration: Calibration) -> float:
        """Mean value over the tokens it was learned from, or over the table's contexts."""
        return self.table.mean(calibration)

    @classmethod
    def check_table(cls, table: Table) -> None:
        """Refuse a table of something else."""
        check(cls.name, "tags", table, "stela lambda learn --tagger T --model M --corpus F.jsonl")

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


def check(name: str, key: Key, table: Table, command: str) -> None:
    """Refuse a table that is not learned, or is looked up by something else.

    Raises:
        StelaError: naming the command that makes the right one.
    """
    if not isinstance(table, ValueTable):
        raise stela.StelaError(f'weighting "{name}" reads learned values, not counts of tags.', command)
    if table.key != key or table.quantity not in QUANTITIES:
        raise stela.StelaError(
            f'weighting "{name}" reads what was learned by {key}; the table holds {table.quantity} by '
            f"{table.key}.",
            command,
        )


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Learned, LearnedText]
