"""What weightings that look each position up in a table have in common.

A table holds one number for a context, learned at one strength. A family of distributions with one parameter,
the probability of the likeliest token, turns it into what a mark of any strength does there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from stela_core import Parameters, Positions, StelaError, Tagger, Weighting
from stela_core.api import Calibration, P_co
from stela_tables.file import AnyTable, parse_any_table
from stela_tables.table import IndeterminacyTable
from stela_tables.values import Key, ValueTable

T_co = TypeVar("T_co", bound=AnyTable, default=AnyTable, covariant=True)
"""The class of the table that a weighting reads."""

Floats = npt.NDArray[np.float64]

DELTA = 1.25
"""Bias (nats) at which a table's values are worked out; tables for other strengths differ little."""

TEMPERATURE = 0.7
"""Temperature at which the shipped tables were learned, and at which text is taken to be drawn."""

GAMMA = 0.5
"""Share of green tokens at which they were learned."""

POINTS = 1025

QUANTITIES = ("expected-gain", "spike-entropy")
"""Quantities of tables that this family is known for."""


def gains_beside(likeliest: Floats, strength: Floats | float, gamma: float) -> Floats:
    """Expected rise of the green tokens' probability, over random splits, (n,), in [0, 1 - gamma].

    Args:
        likeliest: probability of the likeliest token, (n,); the others are green by the share gamma.
        strength: bias over temperature, (n,) or one.
        gamma: share of green tokens.
    """
    factor = np.exp(strength)
    rest = gamma * (1 - likeliest)
    raised = [green * factor / (1 - green + green * factor) for green in (likeliest + rest, rest)]
    return np.asarray(gamma * raised[0] + (1 - gamma) * raised[1] - gamma)


def likeliest_of(values: Floats, quantity: str) -> Floats:
    """The probability of the likeliest token that gives a table these values, (n,), in [0, 1]."""
    chances, known = _curve(quantity)
    return np.asarray(np.interp(values, known, chances))


@cache
def _curve(quantity: str) -> tuple[Floats, Floats]:
    """Probabilities from 1 to 0, and the values that rise with them."""
    chances = np.linspace(1, 0, POINTS)
    if quantity == "expected-gain":
        return chances, gains_beside(chances, DELTA / TEMPERATURE, GAMMA)
    # Spike entropies were taken at temperature 1, before the distribution is sharpened.
    factor = np.exp(DELTA)
    modulus = (1 - GAMMA) * (factor - 1) / (1 - GAMMA + GAMMA * factor)
    return chances, chances / (1 + modulus * chances) + (1 - chances) - 1 / (1 + modulus)


class TableWeighting(Weighting[P_co, T_co]):
    """A weight for each position from what stands before it: its text where that is needed, else its tags."""

    uses_table = True

    @property
    @abstractmethod
    def look_up(self) -> Callable[[Any], float]:
        """The function from what stands before a position to its weight."""

    def weights(self, positions: Positions) -> npt.NDArray[np.float64]:
        """What the table says of each position."""
        before = positions.text if "text" in self.needs else positions.contexts
        return np.fromiter(map(self.look_up, before), float, positions.count)

    @classmethod
    def read_table(cls, data: bytes, source: str) -> AnyTable:
        """A table of counts, values or gains; errors as for :func:`.parse_any_table`."""
        return parse_any_table(data, source)

    @classmethod
    def remarks_on_table(cls, table: object, tagger: Tagger | None, language: str | None) -> list[str]:
        """Remarks on a table, as :func:`.fits.remarks_on` gives them."""
        from stela_tables.fits import remarks_on

        return remarks_on(table, tagger, language)


class CountWeighting(TableWeighting[Parameters, IndeterminacyTable]):
    """Weights from a table of counts of tags."""

    needs = frozenset({"contexts"})

    @classmethod
    def check_table(cls, table: object) -> None:
        """Refuse a table of values.

        Raises:
            StelaError: it is one.
        """
        if not isinstance(table, IndeterminacyTable):
            held = table.quantity if isinstance(table, ValueTable) else "something else"
            raise StelaError(
                f'weighting "{cls.name}" reads counts of tags, and the table holds {held}.',
                "build one with stela lambda build",
            )


class ValueWeighting(TableWeighting[Parameters, ValueTable]):
    """Weights from a table of values, such as ``stela lambda learn`` makes; ``needs`` goes with ``key``."""

    key: ClassVar[Key]
    """What its table is looked up by."""

    quantities: ClassVar[frozenset[str]]
    """Quantities that its table may hold."""

    reads: ClassVar[str]
    """What they are, in errors."""

    command: ClassVar[str]
    """Command that makes a table of them."""

    @property
    def look_up(self) -> Callable[[Any], float]:
        """The value of the longest known end of what stands before a position."""
        return self.table.of_text if self.key == "characters" else self.table.of_tags

    def gains(
        self, weights: npt.NDArray[np.float64], bias: npt.NDArray[np.float64], gamma: float
    ) -> npt.NDArray[np.float64] | None:
        """What the table's values come to at this bias, where it holds a quantity that says so."""
        if self.table.quantity not in QUANTITIES:
            return None
        return gains_beside(likeliest_of(weights, self.table.quantity), bias / TEMPERATURE, gamma)

    def mean(self, calibration: Calibration) -> float:
        """Mean value over the tokens that the table was made from, or over its contexts."""
        return self.table.mean(calibration)

    @classmethod
    def check_table(cls, table: object) -> None:
        """Refuse a table of something else.

        Raises:
            StelaError: naming the command that makes the right one.
        """
        if isinstance(table, ValueTable):
            if table.key == cls.key and table.quantity in cls.quantities:
                return
            held = f"{table.quantity} by {table.key}"
        else:
            held = "counts of tags" if isinstance(table, IndeterminacyTable) else "something else"
        raise StelaError(
            f'weighting "{cls.name}" reads {cls.reads} by {cls.key}; the table holds {held}.', cls.command
        )
