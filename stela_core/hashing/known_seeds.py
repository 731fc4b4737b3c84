"""Seeds of hash contexts of one token id, each hashed once under a key and looked up from then on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Hashed = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.uint64]]
"""What gives contexts (n, 1) their seeds, (n,)."""

MOST = 1 << 20
"""Ids below this are kept: 9 bytes each, those of a vocabulary of 152,000 in 1.4 MB."""


class KnownSeeds:
    """The seeds of contexts of width 1 under one key.

    Threads may share it: a seed is there before it counts as known.

    Args:
        key: 64-bit key.
        size: ids to make room for; it grows where there are more.
    """

    def __init__(self, key: int, size: int = 0) -> None:
        self.key = key
        self._arrays = _arrays(min(size, MOST))

    def __reduce__(self) -> tuple[type[KnownSeeds], tuple[int]]:
        return KnownSeeds, (self.key,)

    def of(self, contexts: npt.NDArray[np.int64], hashed: Hashed) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of contexts (n, 1) of ids in 0 .. 2**32 - 1.

        Args:
            contexts: of any ids.
            hashed: the definition, the same at every call; asked for what did not come before.
        """
        ids = contexts[:, 0]
        seeds, is_known = self._arrays
        try:
            known = is_known[ids]
        except IndexError:
            size = 1 + int(ids.max())
            if size > MOST:
                return hashed(contexts)
            self._arrays = _arrays(max(size, 2 * len(seeds)))
            for array, before in zip(self._arrays, (seeds, is_known), strict=True):
                array[: len(before)] = before
            return self.of(contexts, hashed)
        if not known.all():
            new = ids[~known]
            seeds[new] = hashed(new[:, None])
            is_known[new] = True
        out: npt.NDArray[np.uint64] = seeds[ids]
        return out


def _arrays(size: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """The seed of each id, and whether it is there; memory is taken where it is written to."""
    return np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.bool_)
