"""Philox4x32-10 as a generator of one word a token: the key is a seed, the counter the token's block of four.

Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. In integers of 64 bits,
of which words fill the lower half.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
"""What the two words of the key grow by from round to round."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def token_words(seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Word ``token % 4`` of the counter ``(token // 4, 0, 0, 0)`` under each seed: (n,), (n,) -> (n,).

    The key's first word is the seed's low half.
    """
    k0, k1 = seeds & _LOW, seeds >> _HALF
    c0 = (tokens >> 2).astype(np.uint64) & _LOW
    c1, c2, c3 = (np.zeros_like(c0) for _ in range(3))
    for _ in range(ROUNDS):
        even, other = c0 * np.uint64(MULTIPLIERS[0]), c2 * np.uint64(MULTIPLIERS[1])
        c0, c1, c2, c3 = other >> _HALF ^ c1 ^ k0, other & _LOW, even >> _HALF ^ c3 ^ k1, even & _LOW
        k0, k1 = k0 + np.uint64(WEYL[0]) & _LOW, k1 + np.uint64(WEYL[1]) & _LOW
    return np.choose(tokens & 3, [c0, c1, c2, c3]).astype(np.uint32)
