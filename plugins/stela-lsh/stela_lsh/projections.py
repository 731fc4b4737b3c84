"""Sign random projections of whole numbers: vectors to bits, alike on every machine (Charikar, STOC 2002).

Bit j of a vector ``v`` of d whole numbers under a key is 1 iff ``sum_i r_ji v_i > 0``, where ``r_ji`` is +1
or -1 as bit ``i % 64`` of ``seed_of(key, (2**32 - 1, j, i // 64))`` is 1 or 0. The sums are exact. Two
vectors at the angle ``a`` have equal bits with probability of about ``1 - a / pi`` each.

The seed of the bits, read as a number ``c``, is ``seed_of(key, (2**32 - 2, c))``. What is hashed for signs
and what for seeds begins differently, so the bits of a context are one draw of the key, and the colours
under these bits another: the p-value is valid *given* the bits (README.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.api import seed_of

SIGNS = 0xFFFFFFFF
"""First number of what signs are drawn from."""

SEEDS = 0xFFFFFFFE
"""First number of what seeds are drawn from."""


def signs(key: int, bits: int, dimensions: int) -> npt.NDArray[np.int64]:
    """The key's projections, +1 and -1, (bits, dimensions)."""
    words = -(-dimensions // 64)
    drawn = [[seed_of(key, (SIGNS, row, word)) for word in range(words)] for row in range(bits)]
    numbers = np.array(drawn, dtype=np.uint64).reshape(bits, words)
    ones = numbers[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return ones.reshape(bits, 64 * words)[:, :dimensions].astype(np.int64) * 2 - 1


def codes(vectors: npt.NDArray[np.int64], projections: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The bits of whole-number vectors as one number each, bit 0 lowest: (n, d), (bits, d) -> (n,)."""
    ones = (vectors @ projections.T) > 0
    return np.asarray(ones @ (1 << np.arange(len(projections), dtype=np.int64)), dtype=np.int64)


def seeds_of_codes(key: int, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The seed of each number, (n,) -> (n,); each distinct one is hashed once."""
    distinct, of = np.unique(numbers, return_inverse=True)
    seeds = np.array([seed_of(key, (SEEDS, number)) for number in distinct.tolist()], dtype=np.uint64)
    return seeds[of.reshape(-1)] if len(distinct) else np.empty(0, dtype=np.uint64)
