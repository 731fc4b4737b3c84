"""Seeds whose lower 16 bits hold what a message says at their place, and what all encodings here do alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stela_payload.interface import MOST_ERROR, Message, SeedEncoder

import stela_core as stela
from stela_core.api import keyed_seeds, mix

HELD = np.uint64(0xFFFF)
"""The bits of a seed that hold a part of a message."""

Words = npt.NDArray[np.uint64]


class HoldingHasher(stela.GreenList[stela.HasherParameters]):
    """A green list whose seeds leave room for a message; without one they hold 0."""

    key_in_seed = True

    def seeds(self, contexts: npt.NDArray[np.int64]) -> Words:
        """Keyed BLAKE2b of each context (docs/hashing.md), its lower 16 bits 0."""
        return np.asarray(keyed_seeds(self.key, contexts) & ~HELD)


def numbers(seeds: Words, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """A token's 32-bit number under a seed, whatever the seed holds."""
    return mix(seeds & ~HELD, tokens).astype(np.uint64)


def stakes_of(
    weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64], scorer: stela.Scorer[Any]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """The first token of each group, and what the group weighs, as the scorer weighs it."""
    _, first, inverse, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    own = weights * scorer.shares(sizes)[inverse]
    return first, np.bincount(inverse, weights=own, minlength=len(sizes)).astype(np.float64)


def tail(signals: stela.Signals, scorer: stela.Scorer[Any]) -> float:
    """The scorer's p-value; 1 where there is nothing."""
    if not len(signals.weights):
        return 1.0
    groups = np.unique(signals.groups, return_inverse=True)[1].reshape(-1).astype(np.int64)
    part = stela.Signals(signals.draws, signals.weights, groups, signals.law)
    return float(scorer.score_signals(part).p_value)


def message_of(value: int, bits: int, errors: list[float]) -> Message:
    """A message with a bound for each bit, the first on top: a digit has the largest of its bits'."""
    digits = -(-bits // 4)
    of_digits = [1.0] * digits
    for digit in range(digits):
        last = bits - 4 * (digits - 1 - digit)
        of_digits[digit] = min(1.0, max(errors[max(0, last - 4) : last]))
    return Message(value, bits, tuple(of_digits), max(of_digits), MOST_ERROR)


def require_mark(encoder: SeedEncoder, mark: stela.Hasher[Any], name: str) -> None:
    """Refuse marks whose colours are not this encoding's.

    Raises:
        StelaError: it is another.
    """
    if mark.name != name:
        raise stela.StelaError(
            f'encoder "{encoder.name}" is for no hasher but "{name}".', f'take scheme "{name}"'
        )
