"""MPAC, multi-bit watermark by position allocation (Yoo et al., NAACL 2024), with radix 4 and gamma 1/4.

As in the authors' ``mb_watermark_processor.py``, a context chooses a position of the message and orders the
vocabulary; the symbol there, 0 to 3, says which of four lists is green. A text's symbol at a position
is the list with most tokens. A token's list here is its keyed number's, and repeated pairs are one: both are
the core's, for all schemes.

The paper gives no p-value of a message (the authors' is a z of lists that the text itself chose). Here the
core's holds: that of the message read, times the number of messages. Bounds: a text marked with symbol s has
more tokens in list s, and each other list is as likely as the others, so a token is in it with probability
at most 1/4, whatever came before. Its count is at most binomial in law, and with P positions and three other
symbols each::

    P(at some position another symbol has 3 P p(symbol) <= a) <= a
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator
from stela_payload.interface import EncoderParameters, Message, ScoredTokens, SeedEncoder

import stela_core as stela
from stela_core.api import mix
from stela_multibit.seeds import (
    HELD,
    HoldingHasher,
    Words,
    message_of,
    numbers,
    require_mark,
    stakes_of,
    tail,
)

RADIX, EACH = 4, 2
"""Lists, and bits of a symbol."""

_PLACE = np.int64(2**32 - 1)


class MpacLists(stela.HasherParameters):
    """Four lists, as many as gamma 1/4 allows."""

    gamma: float = Field(1 / RADIX, ge=1 / RADIX, le=1 / RADIX)
    """Share of the vocabulary in the green list: 0.25."""


class MpacHasher(HoldingHasher):
    """Four lists a context; the seed holds which of them is green."""

    name = "multibit-mpac"
    Parameters = MpacLists

    def green(self, seeds: Words, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is in the list that its seed names."""
        return np.asarray(lists_of(seeds, tokens) == seeds & HELD)


def lists_of(seeds: Words, tokens: npt.NDArray[np.int64]) -> Words:
    """The list of each token, 0 to 3."""
    return np.asarray(numbers(seeds, tokens) * np.uint64(RADIX) >> np.uint64(32))


class MpacParameters(EncoderParameters):
    """Bits."""

    @field_validator("bits")
    @classmethod
    def _even(cls, bits: int) -> int:
        if bits % EACH:
            raise ValueError(f"give a multiple of {EACH}")
        return bits


class MpacSymbols(SeedEncoder[MpacParameters]):
    """Two bits of the message at each of its positions."""

    name = "multibit-mpac"
    Parameters = MpacParameters

    def check(self, mark: stela.Hasher[Any]) -> None:
        """Refuse a mark that is not its :class:`MpacHasher`."""
        require_mark(self, mark, MpacHasher.name)

    @property
    def positions(self) -> int:
        """Symbols of a message."""
        return self.bits // EACH

    def positions_of(self, seeds: Words) -> npt.NDArray[np.intp]:
        """The position that each seed chooses, (n,)."""
        chosen = mix(seeds & ~HELD, np.full(len(seeds), _PLACE)).astype(np.uint64)
        return (chosen * np.uint64(self.positions) >> np.uint64(32)).astype(np.intp)

    def symbols(self, message: int) -> Words:
        """The symbols of a message, the first on top."""
        shifts = range(self.bits - EACH, -1, -EACH)
        return np.array([message >> shift & RADIX - 1 for shift in shifts], dtype=np.uint64)

    def seeds(self, seeds: Words, message: int, key: int) -> Words:
        """Each with the symbol at its position."""
        return np.asarray(seeds & ~HELD | self.symbols(message)[self.positions_of(seeds)])

    def read(
        self,
        text: ScoredTokens,
    ) -> Message:
        """The list with most tokens at each position, or of those issued the message with most."""
        mark, seeds, tokens, weights, groups, scorer = text
        places, lists = self.positions_of(seeds), lists_of(seeds, tokens).astype(np.intp)
        first, stakes = stakes_of(weights, groups, scorer)
        counts = np.zeros((self.positions, RADIX))
        np.add.at(counts, (places[first], lists[first]), stakes)
        if self.messages is None:
            value = 0
            for symbol in counts.argmax(axis=1).tolist():
                value = value << EACH | symbol
        else:
            totals = [
                counts[np.arange(self.positions), self.symbols(m)].sum() for m in self.messages.tolist()
            ]
            value = int(self.messages[int(np.argmax(totals))])
        green = mark.draws(self.seeds(seeds, value, mark.key), tokens)
        errors = []
        for place in range(self.positions):
            at = places == place
            own = stela.Signals(green[at], weights[at], groups[at], mark.law)
            errors += [self.positions * (RADIX - 1) * tail(own, scorer)] * EACH
        return message_of(value, self.bits, errors)
