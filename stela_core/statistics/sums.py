"""Sums of products in one order, whatever else the machine does: the numbers of a detection are such sums.

``a @ b`` goes to the linear algebra library, which parts long sums among its threads (OpenBLAS: vectors of
over 10,000 numbers, matrices of over 9,000) and takes another order on another processor. The last digits of
z or of a p-value would then say how many threads a process may use. numpy's own sums do not, and are more
exact: they are pairwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

PART = 8192
"""Products that OpenBLAS adds on one thread, with room to spare."""


def dot(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """``one @ other`` of two vectors, (n,) and (n,)."""
    return float(np.multiply(one, other).sum())


def dot_in_parts(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """:func:`dot` by the linear algebra library, in parts that no thread divides, (n,) and (n,).

    Of one part it is ``one @ other`` to the last bit: for numbers that were written down when they were that.
    The last digit depends on the processor, as theirs did, and not on threads.
    """
    if len(one) <= PART:
        return float(one @ other)
    return math.fsum(float(one[i : i + PART] @ other[i : i + PART]) for i in range(0, len(one), PART))


def dots(rows: npt.NDArray[Any], vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``rows @ vector``, (m, n) and (n,) -> (m,); ``rows`` may have any order in memory."""
    # A copy in order: pairwise sums run along what lies together.
    return np.asarray(np.ascontiguousarray(np.multiply(rows, vector)).sum(axis=-1), dtype=np.float64)
