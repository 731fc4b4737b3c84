"""Seeds of draws that no key makes: functions of a nonce, a row and a position, and of nothing else.

Whoever draws at a position draws the same, however often and in whatever order: a model that drafts and the
one that checks its drafts, a step thrown away and made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import numpy.typing as npt

from stela_core.api import mix

Seeds = npt.NDArray[np.uint64]
"""Seeds of the rows of a step, (rows,)."""

STRIDE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number, so that the seeds of all rows and positions below 2**32 differ (2**64 / golden ratio)."""

COIN = 2**32 - 1
"""The id of a coin: above those of all tokens."""

_CURRENT: ContextVar[Seeds | None] = ContextVar("stela_row_seeds", default=None)


def row_seeds(nonce: int, rows: Sequence[int], position: int) -> Seeds:
    """The seeds of some rows at a position, (rows,) uint64: numbers of the generator SplitMix64.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, Figure 16.

    Args:
        nonce: number drawn for the texts, below 2**64.
        rows: numbers of the rows, below 2**32.
        position: place of the token in the rows, below 2**32.
    """
    # Arrays wrap silently; numpy warns where scalars overflow.
    z = np.array(rows, dtype=np.uint64) << np.uint64(32) | np.uint64(position + 1)
    z = z * STRIDE + np.uint64(nonce)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


@contextmanager
def drawing_by(seeds: Seeds) -> Iterator[None]:
    """A context within which :func:`coins` of this thread are those of the seeds, (rows,)."""
    token = _CURRENT.set(seeds)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def coins(count: int) -> npt.NDArray[np.float64] | None:
    """A uniform number in (0, 1) for each row of a step, (rows,); ``None`` without ``count`` seeds."""
    seeds = _CURRENT.get()
    if seeds is None or len(seeds) != count:
        return None
    return (mix(seeds, np.full(count, COIN, dtype=np.uint64)).astype(np.float64) + 0.5) / 2.0**32
