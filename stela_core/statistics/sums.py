"""Sums of products in one order, whatever else the machine does: the numbers of a detection are such sums.

``a @ b`` goes to the linear algebra library, which parts long sums among its threads (OpenBLAS: vectors of
over 10,000 numbers, matrices of over 9,000) and takes another order on another processor. The last digits of
z or of a p-value would then say how many threads a process may use. numpy's own sums do not, and are more
exact: they are pairwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def dot(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """``one @ other`` of two vectors, (n,) and (n,)."""
    return float(np.multiply(one, other).sum())


def dots(rows: npt.NDArray[Any], vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``rows @ vector``, (m, n) and (n,) -> (m,); ``rows`` may have any order in memory."""
    # A copy in order: pairwise sums run along what lies together.
    return np.asarray(np.ascontiguousarray(np.multiply(rows, vector)).sum(axis=-1), dtype=np.float64)
