"""Sums of products in one order, on every processor and any number of threads: of them a detection is made.

``a @ b`` goes to the linear algebra library, whose order of adding is that of the processor's kernel (AVX2,
AVX-512) and, for long sums, of its threads. The last digits of z would then say where a text was tested.
numpy adds pairwise, in an order that turns only on the length; products are rounded before they are
added, so that no compiler fuses the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def dot(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    """The sum of ``left * right``, (n,) and (n,): a pairwise sum, to the same last bit everywhere."""
    return float(dots(left, right))


def dots(rows: npt.NDArray[Any], vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``rows @ vector``, (m, n) and (n,) -> (m,); ``rows`` may have any order in memory."""
    # A copy in order: pairwise sums run along what lies together.
    products = np.ascontiguousarray(np.multiply(rows, vector, dtype=np.float64))
    return np.asarray(products.sum(axis=-1), dtype=np.float64)
