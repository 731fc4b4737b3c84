"""Seeds of contexts, and sums of their tokens' draws, under many keys at once: with numba, or key by key."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from stela_core.api import dots, keyed_seeds

LOADING = 400_000
"""Hashes that take as long, one by one, as loading numba and what was compiled before. Small calls
that come to this many lose as much: who cannot know how many will come loses at most as much again."""

WORTH = 2_000
"""Hashes that are worth a compiled pass where numba is loaded already."""

SEED = b"stela/hash/1"
"""What the core personalises the hash of seeds with (``hashing/keys.py``)."""

AT_ONCE = 1 << 16
"""Draws that are held at once."""


Draws = Callable[[npt.NDArray[np.uint64], npt.NDArray[np.int64]], npt.NDArray[np.float64]]
"""Draws (n, parts) of seeds and tokens, (n,) and (n,)."""

SeedsUnder = Callable[[Sequence[int], npt.NDArray[np.int64]], npt.NDArray[np.uint64]]


def keyed_seeds_under(keys: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Seeds (keys, n) of hash contexts (n, width) under 64-bit keys, a row by :func:`.keyed_seeds`."""
    return _way(len(keys) * len(contexts))(keys, contexts)


def keyed_sums(
    draws: Draws,
    keys: Sequence[int],
    contexts: npt.NDArray[np.int64],
    tokens: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """:meth:`.Hasher.sums_under`, (keys,), of a mark whose seeds are :func:`.keyed_seeds`.

    Args:
        draws: the mark's, which see the key only through the seed.
        keys: 64-bit keys.
        contexts: hash contexts of the tokens, (n, width).
        tokens: (n,).
        weights: of the draws, (n, parts).
    """
    distinct, places = np.unique(contexts, axis=0, return_inverse=True)
    seeds_under = _way(len(keys) * len(distinct))
    sums = np.empty(len(keys))
    size = max(1, AT_ONCE // max(1, len(tokens)))
    for start in range(0, len(keys), size):
        part = keys[start : start + size]
        seeds = seeds_under(part, distinct)[:, places.reshape(-1)]  # numpy 2.0 has another shape
        drawn = draws(seeds.reshape(-1), np.tile(tokens, len(part)))
        sums[start : start + len(part)] = dots(drawn.reshape(len(part), -1), weights.reshape(-1))
    return sums


class _Way:
    """The choice of how hashes are made soonest, by their number."""

    def __init__(self) -> None:
        self._made = 0
        """Hashes that were made one by one while numba was not loaded."""

    def __call__(self, hashes: int) -> SeedsUnder:
        loaded = "numba" in sys.modules
        if not loaded:
            self._made += hashes
        if hashes < WORTH or not (loaded or self._made >= LOADING):
            return one_by_one
        try:
            import stela_kernels.compiled_blake2b  # noqa: F401
        except ImportError:  # numba is not installed, or not beside this numpy
            return one_by_one
        return _hashed_together


def one_by_one(keys: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """:func:`keyed_seeds_under` by its definition."""
    rows = [keyed_seeds(key, contexts) for key in keys]
    return np.array(rows, dtype=np.uint64).reshape(len(keys), len(contexts))


def _hashed_together(keys: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    from stela_kernels.compiled_blake2b import BLOCK, IV, LAST, blocks_hashed

    # The parameter block (RFC 7693, 2.8): 8 bytes of digest and of key, one leaf; the person stands last.
    block = np.zeros(64, dtype=np.uint8)
    block[:4] = 8, 8, 1, 1
    block[48 : 48 + len(SEED)] = np.frombuffer(SEED, dtype=np.uint8)
    start = (IV ^ block.view("<u8"))[None]
    last, more = np.uint64(LAST), np.uint64(0)
    count, width = contexts.shape
    words = np.array(keys, dtype=np.uint64)[:, None]
    keyed = np.empty((1, len(keys), 8), dtype=np.uint64)
    blocks_hashed(start, words, BLOCK, last if width == 0 else more, keyed)
    if width == 0:
        return keyed[0, :, :1].repeat(count, axis=1)
    data = np.zeros((count, 2 * -(-width // 2)), dtype="<u4")
    data[:, :width] = contexts.astype(np.uint32)
    out = np.empty((len(keys), count, 1), dtype=np.uint64)
    blocks_hashed(keyed[0], data.view("<u8").astype(np.uint64), BLOCK + 4 * width, last, out)
    return out[:, :, 0]


_way = _Way()
