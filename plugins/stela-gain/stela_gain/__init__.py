"""Strengths and weights by context that leave the most evidence for what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field
from stela_tables.gains.optimum import Floats, best_strengths
from stela_tables.gains.table import GainTable
from stela_tables.shipped import ShippedTables
from stela_tables.weightings import TableWeighting

import stela_core as stela

SHIPPED = ShippedTables(Path(__file__).parent / "tables", "stela lambda gains")


class GainParameters(stela.Parameters):
    """What the mark may cost, and at which temperature text is drawn."""

    kgw_delta: float = Field(2.0, ge=0, le=20)
    """The mark costs as much surprisal as KGW with this delta (nats), unless a cost is given."""

    surprisal: float | None = Field(None, ge=0)
    """Cost in place of that: mean rise of -log p, in nats a token."""

    divergence: float | None = Field(None, ge=0)
    """Cost in place of both: mean KL divergence of the marked distribution over keys, nats a token."""

    temperature: float = Field(0.7, gt=0)
    """Temperature at which text is drawn: one that the table holds."""


class ByClass(TableWeighting[GainParameters, GainTable]):
    """What each class of contexts gets where the mark leaves the most evidence for its cost.

    Class c has the strength ``d_c = argmax_d g_c(d)^2 - mu s_c(d)`` and the weight ``g_c(d_c)``: g is the
    mean rise of the chance of green, s the mean cost, and mu the price at which what is asked for is spent.
    :mod:`stela_tables.gains.optimum` derives both.

    Raises:
        StelaError: the table does not hold the temperature.
    """

    as_strength: ClassVar[bool]
    """Whether it gives strengths, in nats, or weights."""

    def __init__(self, parameters: GainParameters, table: GainTable | None = None) -> None:
        super().__init__(parameters, table)
        by = "surprisal" if parameters.divergence is None else "divergence"
        cost = parameters.surprisal if parameters.divergence is None else parameters.divergence
        curves = self.table.curves(parameters.temperature, by)
        asked = curves.cost_of_all(parameters.kgw_delta) if cost is None else cost
        best = best_strengths(curves, asked).tolist()
        rises = [float(rises[number]) for rises, number in zip(curves.rise, best, strict=True)]
        self.by_class = [float(curves.strengths[number]) for number in best] if self.as_strength else rises
        """Strengths in nats, or weights, by number of the class."""

    @property
    def look_up(self) -> Callable[[Any], float]:
        """Function from what stands before a position to the strength or the weight of its class."""
        return self._after_text if "text" in self.needs else self._after_tags

    def _after_text(self, text: str) -> float:
        return self.by_class[self.table.of_text(text)]

    def _after_tags(self, context: tuple[str, ...]) -> float:
        return self.by_class[self.table.of_tags(context)]

    def gains(self, weights: Floats, bias: Floats, gamma: float) -> Floats | None:
        """The weights themselves, which are expected gains where half of the tokens are green."""
        return weights if gamma == 0.5 and not self.as_strength else None

    @classmethod
    def check_table(cls, table: object) -> None:
        """Refuse a table of something else.

        Raises:
            StelaError: naming the command that makes the right one.
        """
        key = "characters" if "text" in cls.needs else "tags"
        if not isinstance(table, GainTable):
            raise stela.StelaError(
                f'weighting "{cls.name}" reads gains by class, and the table holds none.', MAKE[key]
            )
        if table.key != key:
            raise stela.StelaError(
                f'weighting "{cls.name}" reads gains by {key}; the table holds those by {table.key}.',
                MAKE[key],
            )

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """The shipped table of the language, or of the tagger.

        Raises:
            StelaError: there is none.
        """
        if "text" in cls.needs:
            return SHIPPED.read("text", language, cls.name)
        return SHIPPED.read("tags", tagger.name if tagger is not None else None, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables of all languages, or of all taggers."""
        return SHIPPED.files("text" if "text" in cls.needs else "tags")


MAKE = {
    "characters": "stela lambda gains --language en --model M --corpus F.jsonl -o gains.json",
    "tags": "stela lambda gains --tagger T --model M --corpus F.jsonl -o gains.json",
}
"""The commands that make the tables."""


class TextStrength(ByClass):
    """Bias, in nats, by the last characters of the text."""

    name, needs, as_strength = "gain-text-strength", frozenset({"text"}), True


class TextGain(ByClass):
    """Weight by the last characters of the text."""

    name, needs, as_strength = "gain-text", frozenset({"text"}), False


class TagStrength(ByClass):
    """Bias, in nats, by the last part-of-speech tags."""

    name, needs, as_strength = "gain-tags-strength", frozenset({"contexts"}), True


class TagGain(ByClass):
    """Weight by the last part-of-speech tags."""

    name, needs, as_strength = "gain-tags", frozenset({"contexts"}), False


class GainText(stela.Scheme):
    """The mark is strong where a bias buys much evidence for its cost, by the last characters of the text."""

    name = "gain-text"
    strength = "gain-text-strength"
    evidence = "gain-text"
    encoder = "payload"
    Parameters = stela.Parameters
    weights_are_biases = True


class GainTags(stela.Scheme):
    """The mark is strong where a bias buys much evidence for its cost, by the last part-of-speech tags."""

    name = "gain-tags"
    strength = "gain-tags-strength"
    evidence = "gain-tags"
    encoder = "payload"
    Parameters = stela.Parameters
    weights_are_biases = True


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [TextStrength, TextGain, TagStrength, TagGain]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [GainText, GainTags]
