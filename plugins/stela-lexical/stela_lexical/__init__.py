"""Weights counted on human text alone, with no model: token Gini and tag entropy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import Calibration, IndeterminacyTable, Table, ValueTable

QUANTITY = "token-gini"


class _Counted(stela.Weighting[stela.Parameters, ValueTable]):
    """Token Gini, ``1 - sum p^2`` of the next token, from a table of ``stela lambda learn``."""

    uses_table = True
    key = ""
    option = ""

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """The value of the longest known suffix of each context."""
        if self.key == "characters":
            return np.fromiter(map(self.table.of_text, positions.text), float, positions.count)
        return np.fromiter(map(self.table.of_tags, positions.contexts), float, positions.count)

    def mean(self, calibration: Calibration) -> float:
        """Mean value over the tokens that were counted, or over the table's contexts."""
        return self.table.mean(calibration)

    @classmethod
    def check_table(cls, table: Table) -> None:
        """Refuse a table of something else."""
        if not isinstance(table, ValueTable) or (table.key, table.quantity) != (cls.key, QUANTITY):
            raise stela.StelaError(f'weighting "{cls.name}" reads token Gini by {cls.key}.', cls.command())

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """None is shipped: token Gini goes with one tokenizer.

        Raises:
            StelaError: always, with the command that builds one.
        """
        raise stela.StelaError(
            f'weighting "{cls.name}" needs a table, which goes with one tokenizer.',
            f"give it with --lambda; build it with {cls.command()}",
        )

    @classmethod
    def command(cls) -> str:
        """The command that builds a table."""
        return f"stela lambda learn --quantity {QUANTITY} {cls.option}--model M --corpus F.jsonl"


class Lexical(_Counted):
    """Token Gini after the last part-of-speech tags."""

    name = "lexical"
    needs = frozenset({"contexts"})
    key = "tags"
    option = "--tagger T "


class LexicalText(_Counted):
    """Token Gini after the last characters of the text: no model and no tagger."""

    name = "lexical-text"
    needs = frozenset({"text"})
    key = "characters"


class LexicalTags(stela.Weighting[stela.Parameters, IndeterminacyTable]):
    """Entropy of the next tag in nats, not normalised: STELA's table with another reading of its counts."""

    name = "lexical-tags"
    needs = frozenset({"contexts"})
    uses_table = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """``H(P(tag | context))`` of each position."""
        return np.fromiter(map(self.table.entropy, positions.contexts), float, positions.count)

    def mean(self, calibration: Calibration) -> float:
        """Mean entropy over the tokens, or over the context types, of the table's corpora."""
        return self.table.mean_entropy(calibration)


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Lexical, LexicalText, LexicalTags]
