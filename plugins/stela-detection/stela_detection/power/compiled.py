"""Coins added by numba, in the order of numpy's operations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_kernels.passes import compile_kept


@compile_kept
def add_rows_compiled(
    sums: npt.NDArray[np.float64], units: npt.NDArray[np.int64], chances: npt.NDArray[np.float64]
) -> None:
    """Add rows as :func:`.add_rows` does, bit for bit."""
    moved = np.empty(sums.shape[1])
    for row in range(len(sums)):
        here = sums[row]
        top = 1
        for coin in range(len(units)):
            unit, chance = units[coin], chances[row, coin]
            for i in range(top):
                moved[i] = here[i] * chance
                here[i] -= moved[i]
            target = here[unit:]
            for i in range(top):
                target[i] += moved[i]
            top += unit
