"""Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).

A bijection of 128 bits for each key of 64: ten rounds of two 32 x 32 -> 64 bit products. Here words are
kept in uint64, of which they fill the lower half, and the two even words of a counter, which are multiplied,
lie next to each other, as do the two odd ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
"""What the two words of the key grow by from round to round."""

_MULTIPLIERS = np.array(MULTIPLIERS, dtype=np.uint64)[:, None]
_WEYL = np.array(WEYL, dtype=np.uint64)[:, None]
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox4x32(counters: Words, keys: Words) -> Words:
    """The outputs (4, n) of counters (4, n) under keys (2, n) or (2, 1); all words below 2**32."""
    even, odd = counters[0::2], counters[1::2]
    for round_number in range(ROUNDS):
        products = even * _MULTIPLIERS
        # The high half of each product goes over to the other even word.
        even = (products >> _HALF)[::-1] ^ odd ^ keys
        odd = (products & _LOW)[::-1]
        if round_number < ROUNDS - 1:
            keys = (keys + _WEYL) & _LOW
    out = np.empty((4, even.shape[1]), dtype=np.uint64)
    out[0::2], out[1::2] = even, odd
    return out
