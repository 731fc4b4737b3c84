"""The published definition of green: 64-bit seed and token id to a 32-bit number, and its threshold.

Let the seed be ``s1 * 2**32 + s0`` and ``v`` a token id below ``2**32``. With all arithmetic modulo
``2**32``, ``^`` exclusive or and ``>>`` a logical shift::

    x = v ^ s0
    x ^= x >> 17;  x *= 0xED5AD4BB
    x ^= s1
    x ^= x >> 11;  x *= 0xAC4C1B51
    x ^= x >> 15;  x *= 0x31848BAB
    x ^= x >> 14
    green  iff  x < floor(gamma * 2**32)

This is the finaliser ``triple32`` of C. Wellons' hash-prospector (three rounds, bias near the limit of
what a 32-bit permutation can reach), with the two halves of the seed put in before and after the first
round. For a fixed seed it is a permutation of the 32-bit numbers, so no two tokens share an ``x``. It
mixes; it is not a cipher: the secret is kept by the keyed BLAKE2b that makes the seed (``keys.py``).

The definition never changes: a text marked today must be found for ever (golden vectors in the tests).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

MULTIPLIERS = (0xED5AD4BB, 0xAC4C1B51, 0x31848BAB)
"""Multipliers of the three rounds."""

SHIFTS = (17, 11, 15, 14)
"""Bits of the right shifts: one before each multiplication, one at the end."""


def threshold(gamma: float) -> int:
    """``floor(gamma * 2**32)``: a token is green where its mixed number is below it.

    The product is exact (a power of two), so every machine gets the same integer.
    """
    return math.floor(gamma * 4294967296.0)


def halves(seeds: npt.ArrayLike) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The low and the high 32 bits of 64-bit seeds: ``(s0, s1)``, uint32, shaped like the seeds."""
    wide = np.asarray(seeds, dtype=np.uint64)
    return wide.astype(np.uint32), (wide >> np.uint64(32)).astype(np.uint32)


def mix(seeds: npt.ArrayLike, tokens: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Numbers of tokens under seeds.

    Args:
        seeds: uint64, any shape that broadcasts with ``tokens``.
        tokens: ids in 0 .. 2**32 - 1, any integer type.

    Returns:
        uint32 of the broadcast shape.
    """
    low, high = halves(seeds)
    # Arrays of at least one dimension wrap silently; numpy warns where scalars overflow.
    x = np.atleast_1d(np.bitwise_xor(np.asarray(tokens).astype(np.uint32), low))
    shape = np.broadcast_shapes(np.shape(tokens), low.shape)
    _mix_in_place(x, np.empty_like(x), high)
    return x.reshape(shape)


def _mix_in_place(x: npt.NDArray[np.uint32], scratch: npt.NDArray[np.uint32], high: Any) -> None:
    """What comes after ``v ^ s0``."""
    x ^= np.right_shift(x, np.uint32(17), out=scratch)
    x *= np.uint32(0xED5AD4BB)
    x ^= high
    x ^= np.right_shift(x, np.uint32(11), out=scratch)
    x *= np.uint32(0xAC4C1B51)
    x ^= np.right_shift(x, np.uint32(15), out=scratch)
    x *= np.uint32(0x31848BAB)
    x ^= np.right_shift(x, np.uint32(14), out=scratch)


def green(seeds: npt.ArrayLike, tokens: npt.NDArray[Any], gamma: float) -> npt.NDArray[np.bool_]:
    """Whether tokens are green under seeds; shapes as in :func:`mix`."""
    return np.asarray(mix(seeds, tokens) < np.uint32(threshold(gamma)))


BLOCK = 1 << 15
"""Ids whose numbers are mixed at once: few enough for the cache, many enough for numpy."""


def green_list(seed: np.uint64, size: int, gamma: float) -> npt.NDArray[np.bool_]:
    """Whether each of the ids below ``size`` is green under one seed, (size,), as :func:`green` says."""
    out = np.empty(size, dtype=np.bool_)
    low, high = halves(seed)
    below = np.uint32(threshold(gamma))
    numbers, scratch = np.empty((2, min(BLOCK, size)), dtype=np.uint32)
    for start in range(0, size, BLOCK):
        ids = np.arange(start, min(start + BLOCK, size), dtype=np.uint32)
        x = np.bitwise_xor(ids, low, out=numbers[: len(ids)])
        _mix_in_place(x, scratch[: len(ids)], high)
        np.less(x, below, out=out[start : start + len(ids)])
    return out
