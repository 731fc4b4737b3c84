"""Weights counted on human text, without a model: token Gini and tag entropy."""

from __future__ import annotations

from collections.abc import Callable

from stela_tables.weightings import CountWeighting, ValueWeighting

import stela_core as stela
from stela_core.api import Calibration, Context

QUANTITY = "token-gini"
COMMAND = f"stela lambda learn --quantity {QUANTITY}"


class _Counted(ValueWeighting):
    """Token Gini, ``1 - sum p^2`` of the next token, from a table of ``stela lambda learn``."""

    quantities = frozenset({QUANTITY})
    reads = "token Gini"

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """None is shipped: token Gini goes with one tokenizer.

        Raises:
            StelaError: always, with the command that builds one.
        """
        raise stela.StelaError(
            f'weighting "{cls.name}" needs a table, which goes with one tokenizer.',
            f"give it with --lambda; build it with {cls.command}",
        )


class Lexical(_Counted):
    """Token Gini after the last part-of-speech tags."""

    name = "lexical"
    needs = frozenset({"contexts"})
    key = "tags"
    command = f"{COMMAND} --tagger T --model M --corpus F.jsonl"


class LexicalText(_Counted):
    """Token Gini after the last characters of the text: no model and no tagger."""

    name = "lexical-text"
    needs = frozenset({"text"})
    key = "characters"
    command = f"{COMMAND} --model M --corpus F.jsonl"


class LexicalTags(CountWeighting):
    """Entropy of the next tag in nats, not normalised: STELA's table with another reading of its counts."""

    name = "lexical-tags"

    @property
    def look_up(self) -> Callable[[Context], float]:
        """``H(P(tag | context))``."""
        return self.table.entropy

    def mean(self, calibration: Calibration) -> float:
        """Mean entropy over the tokens, or over the context types, of the table's corpora."""
        return self.table.mean_entropy(calibration)


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Lexical, LexicalText, LexicalTags]
