"""What a step does with the whole vocabulary: ids into blocks, the blocks' masses, lifts back to the ids.

In compiled passes where numba is installed, else in numpy operations.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_textgrain import numbers

Rows = npt.NDArray[Any]
Blocks = npt.NDArray[np.uint8]


def masses(probs: Rows, seeds: npt.NDArray[np.uint64], count: int) -> tuple[Blocks, npt.NDArray[np.float64]]:
    """Each id's block, (rows, ids), and the blocks' probabilities, (rows, count), which sum to 1.

    Args:
        probs: of the ids in their order, (rows, ids), float32 or float64.
        seeds: of the rows' contexts, (rows,).
        count: blocks, at most 256.
    """
    passes = compiled()
    if passes is None:
        blocks, sums = masses_by_numpy(probs, seeds, count)
    else:
        blocks, sums = np.empty(probs.shape, dtype=np.uint8), np.zeros((len(probs), count))
        low, high = seeds & np.uint64(0xFFFFFFFF), seeds >> np.uint64(32)
        words = low.astype(np.uint32), high.astype(np.uint32)
        passes.add_masses(np.ascontiguousarray(probs), *words, blocks, sums)
    total = sums.sum(axis=1, keepdims=True)
    # A row of which nothing may come is left as it is: equal blocks.
    return blocks, np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / count)


def masses_by_numpy(
    probs: Rows, seeds: npt.NDArray[np.uint64], count: int
) -> tuple[Blocks, npt.NDArray[np.float64]]:
    """:func:`masses` in numpy operations, not made to sum to 1."""
    blocks = numbers.blocks(seeds[:, None], np.arange(probs.shape[1]), count)
    probs = np.nan_to_num(probs)
    sums = [np.bincount(own, weights=row, minlength=count) for own, row in zip(blocks, probs, strict=True)]
    return blocks.astype(np.uint8), np.array(sums, dtype=np.float64).reshape(len(probs), count)


def spread(lifts: Rows, blocks: Blocks) -> Rows:
    """The lift of each id's block, (rows, count) and (rows, ids) -> (rows, ids)."""
    passes = compiled()
    if passes is None:
        return np.take_along_axis(lifts, blocks.astype(np.intp), axis=1)
    out = np.empty(blocks.shape, dtype=lifts.dtype)
    passes.spread_lifts(np.ascontiguousarray(lifts), blocks, out)
    return out


@cache
def compiled() -> Any:
    """The module of the compiled passes, or ``None`` where numba cannot be used."""
    try:
        from stela_textgrain import passes
    except Exception:  # not installed, or broken by the numpy beside it: numpy does the work then
        return None
    return passes
