"""Readings: what else a text may have been before it was copied, pasted or sent."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_core.interfaces.component import Component

Points = npt.NDArray[np.int64]
"""Boundaries between characters, (n,), ascending: 0 is before the first."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text."""

    name: str
    """What a detection says of it."""
    text: str
    """What is tested."""
    given: str
    """The text as it was given."""
    back: Callable[[Points], Points] | None = None
    """Function from boundaries of :attr:`text` to those of :attr:`given`; ``None`` if no length changed."""
    ids: Sequence[int] | None = None
    """Token ids of :attr:`text`; ``None`` for those that the tokenizer gives."""
    places: Sequence[int] | None = None
    """Start of each token, and the text's length; ``None`` where the bytes of the tokens say it."""

    def in_given(self, points: Points) -> Points:
        """Boundaries of :attr:`text` as boundaries of :attr:`given`, (n,), ascending."""
        return points if self.back is None else self.back(points)


class Readings(Component):
    """Texts that a text may have been: each is tested, too, at a share of alpha.

    They are a function of the text: they see no key, so each has a valid p-value.

    Copy me::

        class Lowered(stela.Readings):
            name = "lowered"

            @classmethod
            def of(cls, text):
                return [stela.Reading("in lower case", text.lower(), text)]
    """

    kind = "readings"
    hook = "stela_register_readings"

    @classmethod
    @abstractmethod
    def of(cls, text: str) -> Sequence[Reading]:
        """Other readings of a text of well-formed unicode; one that is the text itself is left out.

        It takes time in proportion to the text, which anybody may have made.
        """
