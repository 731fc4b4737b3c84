"""Philox as a generator of one word a token (SBW): a seed is the key, a token's block of four the counter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_kernels.philox.philox import philox4x32


def token_words(seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Word ``token % 4`` of the counter ``(token // 4, 0, 0, 0)`` under each seed: (n,), (n,) -> (n,).

    The key's first word is the seed's low half.
    """
    counters = np.zeros((4, len(tokens)), dtype=np.uint64)
    counters[0] = (tokens >> 2).astype(np.uint64) & np.uint64(0xFFFFFFFF)
    keys = np.stack([seeds & np.uint64(0xFFFFFFFF), seeds >> np.uint64(32)])
    words: npt.NDArray[np.uint32] = philox4x32(counters, keys)[tokens & 3, np.arange(len(tokens))].astype(
        np.uint32
    )
    return words
