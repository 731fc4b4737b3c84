"""What the key says of a context: blocks of tokens, a table of scores, a column. Only numpy is needed.

All of it are 32-bit numbers of the core's hash under the context's seed (docs/hashing.md). Ids of tokens are
below 2**31; the numbers from there on are those of the table, block by block, and the last one the column's.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stela_core.api import mix

TABLE = 1 << 31
"""Number of the table's first cell."""

COLUMN = (1 << 32) - 4
"""Number of the column's draw."""

STANDARD = math.pi / math.sqrt(6)
"""Standard deviation of Gumbel numbers; their mean is Euler's constant."""


def blocks(seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Blocks of tokens under seeds, of shapes that broadcast: ``x * count >> 32``."""
    return _share(mix(seeds, tokens), count)


def columns(seeds: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.int64]:
    """The column that the key picks for each context, (n,)."""
    return _share(mix(seeds, np.full(len(seeds), COLUMN)), count)


def cells(
    seeds: npt.NDArray[np.uint64], blocks: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.uint32]:
    """Numbers of cells of the tables of ``count`` columns, of shapes that broadcast."""
    return mix(seeds, TABLE + blocks * count + columns)


def tables(seeds: npt.NDArray[np.uint64], count: int, width: int) -> npt.NDArray[np.float64]:
    """All scores, standardised, (n, count, width): Gumbel numbers ``-log(-log u)``, u = (x + 1/2) / 2**32."""
    x = cells(seeds[:, None, None], np.arange(count)[:, None], np.arange(width), width)
    gumbel = -np.log(-np.log((x + 0.5) / 2.0**32))
    return np.asarray((gumbel - np.euler_gamma) / STANDARD)


def _share(numbers: npt.NDArray[np.uint32], count: int) -> npt.NDArray[np.int64]:
    return (numbers.astype(np.int64) * count) >> 32
