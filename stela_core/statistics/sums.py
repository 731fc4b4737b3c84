"""Sums of products in an order that threads do not change: the numbers of a detection are such sums.

``a @ b`` goes to the linear algebra library, which parts long sums among its threads (OpenBLAS: vectors of
over 10,000 numbers, matrices of over 9,000). The last digits of z or of a p-value would then say how many
threads a process may use. Vectors are added here in parts that no thread divides, and so keep the numbers of
texts that fit into one part; rows of a matrix by numpy's own sums, which are pairwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

PART = 8192
"""Products that OpenBLAS adds on one thread, with room to spare."""


def dot(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """``one @ other`` of two vectors, (n,) and (n,); of one part to the last bit, and else as exact."""
    if len(one) <= PART:
        return float(one @ other)
    return math.fsum(float(one[i : i + PART] @ other[i : i + PART]) for i in range(0, len(one), PART))


def dots(rows: npt.NDArray[Any], vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``rows @ vector``, (m, n) and (n,) -> (m,); ``rows`` may have any order in memory."""
    # A copy in order: pairwise sums run along what lies together.
    return np.asarray(np.ascontiguousarray(np.multiply(rows, vector)).sum(axis=-1), dtype=np.float64)
