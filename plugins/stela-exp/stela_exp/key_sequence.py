"""The key sequence: which of its places draws which token of a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_core.api import keyed_seeds, mix

SHIFT_SEED = 0x53544C41
"""The upper half of the public seeds that a text's first ids are mixed under."""


class KeySequenceParameters(stela.SamplingParameters):
    """How long the key sequence is, and what chooses the place where a text begins."""

    key_length: int = Field(256, ge=1, le=65_536)
    """Places of the key sequence (n of the paper): the number of tokens of a text that are marked."""

    context_width: int = Field(1, ge=0, le=8)
    """First tokens of a text that are drawn freely and not marked. Their ids choose the place of the sequence
    at which the text begins; with 0 every text begins at its first."""


class KeySequenceHasher(stela.SamplingHasher[KeySequenceParameters]):
    """Token t of a text is drawn with what place ``(shift + t) mod key_length`` of a secret sequence holds.

    The hash context is that place, (n, 1), and no ids; its seed is the core's keyed hash of it. Each place
    draws one token of a text at most: a text is distributed as the model's, however long it gets.
    """

    Parameters = KeySequenceParameters

    edit_cost: ClassVar[float]
    """What a token that is left out or put in costs an alignment (gamma), as in the paper's experiments."""

    @property
    def first_only(self) -> bool:
        """True: after ``key_length`` tokens the sequence is used up, the rest of the text is not marked."""
        return True

    def contexts(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Places in the key sequence, (n, 1), of the tokens at ``positions``, (n,)."""
        shift = shift_of(ids[: self.context_width].tolist(), self.parameters.key_length)
        return ((shift + positions.astype(np.int64)) % self.parameters.key_length)[:, None]

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each place, (n, 1) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def sequence(self) -> npt.NDArray[np.uint64]:
        """Seeds of all places, (key_length,)."""
        return self.seeds(np.arange(self.parameters.key_length, dtype=np.int64)[:, None])

    @abstractmethod
    def costs(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """What it costs to align each token with each place: (n,), (m,) -> (m, n).

        Small where the place drew it. Compiled: it needs numba.
        """


def require_sequence(hasher: stela.Hasher[Any], scorer: str) -> KeySequenceHasher:
    """The hasher, where it has a key sequence.

    Raises:
        StelaError: it has none, so the scorer of this name has nothing to align a text with.
    """
    if isinstance(hasher, KeySequenceHasher):
        return hasher
    raise stela.StelaError(
        f'scorer "{scorer}" aligns texts with a key sequence; hasher "{hasher.name}" has none.',
        'use it with hasher "exp" or "exp-its"',
    )


def shift_of(first: Sequence[int], length: int) -> int:
    """The place of a key sequence at which a text begins, from its first ids: public, without any key.

    Each id is mixed under the seed ``SHIFT_SEED * 2**32 + x``, where x is the number of the ids before
    it, and 0 in front; ``floor(x length / 2**32)`` of the last is the place.
    """
    number = 0
    for token in first:
        number = int(mix(np.uint64(SHIFT_SEED << 32 | number), np.array([token]))[0])
    return number * length >> 32
