"""The compiled pass of ``many_keys.py``; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.passes import compile_kept


@compile_kept
def add_bits(coins: Any, shifts: Any, table: Any, weights: Any, sums: Any) -> None:
    """Add to each key's sum, (keys,), the weights (n, depth) of its bits that are 1."""
    mask = np.uint64(len(table) - 1)
    for key in range(len(shifts)):
        total = 0.0
        for n in range(len(coins)):
            coin = coins[n]
            for layer in range(shifts.shape[1]):
                total += weights[n, layer] * table[(coin + shifts[key, layer]) & mask]
        sums[key] = total
