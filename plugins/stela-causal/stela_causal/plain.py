"""The passes of a network of words in numpy: the bits of the compiled ones, before numba has started.

numba neither reorders nor fuses floating-point operations, so sums in the same order have the same bits.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from stela_causal.code_points import Ids
from stela_causal.layers import AT_ONCE, TAPS, Flags, Layer, Reals
from stela_core.api import own_process

MOST = 2_000
"""Places that a command computes without numba: more take longer than numba's start, some 0.4 s."""
MULTIPLIER, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""The constants of the hash in :mod:`stela_causal.endings`."""


class Start:
    """Whether a command is to start numba: one that tests a short text is done sooner without."""

    def __init__(self, places: int = MOST) -> None:
        self._left = places

    def is_due(self, places: int) -> bool:
        """Whether compiled passes are to be used from now on.

        Args:
            places: how many are to be computed next.
        """
        if not own_process or "numba" in sys.modules:
            return True
        self._left -= places
        return self._left < 0


def affine(seen: Reals, weight: Reals, bias: Reals) -> Reals:
    """The result of :func:`stela_causal.convolution.affine` bit for bit: (n, d) to (n, w)."""
    out = np.repeat(bias[None], len(seen), 0).astype(seen.dtype)
    four, one = np.empty_like(out), np.empty_like(out)
    for first in range(0, len(weight), AT_ONCE):
        np.multiply(seen[:, first, None], weight[first], out=four)
        for at in range(first + 1, first + AT_ONCE):
            np.multiply(seen[:, at, None], weight[at], out=one)
            four += one
        out += four
    return out


def residual(given: Reals, inside: Flags, layers: Sequence[Layer], dilations: Sequence[int]) -> Reals:
    """The result of :func:`stela_causal.convolution.residual` bit for bit: (n, d) to (n, w)."""
    hidden = np.zeros((len(given), len(layers[0][1])), given.dtype)
    for (weight, bias), dilation in zip(layers, dilations, strict=True):
        more = affine(_earlier(given, dilation), weight, bias)
        hidden += np.where(inside[:, None] & (more > 0), more, 0).astype(given.dtype)
        given = hidden
    return hidden


def _earlier(given: Reals, dilation: int) -> Reals:
    places, size = given.shape
    back = (TAPS - 1) * dilation
    padded = np.concatenate([np.zeros((back, size), given.dtype), given])
    return np.concatenate([padded[tap * dilation :][:places] for tap in range(TAPS)], axis=1)


def endings(folded: Ids, space: Flags, lengths: Ids, bits: int) -> Ids:
    """The result of :func:`stela_causal.endings.endings`, (n, lengths) buckets, all places at once."""
    places, shift = len(folded), np.uint64(64 - bits)
    buckets = np.zeros((places, len(lengths)), np.int64)
    keys, going = np.ones(places, np.uint64), np.ones(places, np.bool_)
    longest = int(lengths[-1])
    points = np.concatenate([np.full(longest, 32), np.where(space, 32, folded)]).astype(np.uint64)
    begins = np.concatenate([np.ones(longest, np.bool_), space])
    which = 0
    for back in range(longest):
        here = slice(longest - back, longest - back + places)
        more = (keys ^ points[here]) * MULTIPLIER
        keys = np.where(going, more ^ (more >> HALF), keys)
        if back + 1 == lengths[which]:
            buckets[:, which] = ((keys * MULTIPLIER) >> shift).astype(np.int64)
            which += 1
        going &= ~begins[here]
    return buckets
