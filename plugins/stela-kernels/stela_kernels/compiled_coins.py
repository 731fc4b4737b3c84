"""Coins added by numba, in the order of numpy's operations; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from stela_kernels.passes import compile_kept

SMALLEST = 1e-300
RESCALE = 1e-9
"""The constants of the core's ``add_coins``, which the results are compared to before they are used."""

SHORT = 64
"""Weights below it move sums by so little that few would be added at once in place."""


@compile_kept
def _sum(values: npt.NDArray[np.float64]) -> Any:
    """``np.add.reduce``: eight sums next to each other, of at most 128 numbers; halves of more."""
    size = len(values)
    if size > 128:
        half = size // 2
        half -= half % 8
        return _sum(values[:half]) + _sum(values[half:])
    total, whole = 0.0, 0
    if size >= 8:
        whole = size - size % 8
        a, b, c, d = values[0], values[1], values[2], values[3]
        e, f, g, h = values[4], values[5], values[6], values[7]
        for i in range(8, whole, 8):
            a += values[i]
            b += values[i + 1]
            c += values[i + 2]
            d += values[i + 3]
            e += values[i + 4]
            f += values[i + 5]
            g += values[i + 6]
            h += values[i + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, size):
        total += values[i]
    return total


@compile_kept
def add_coins_compiled(
    band: npt.NDArray[np.float64],
    others: npt.NDArray[np.int64],
    limit: int,
    floor: int,
    top: int,
    reached: float,
    gamma: float,
) -> tuple[float, float]:
    """The result of :func:`.add_coins`, bit for bit where numpy adds up as :func:`_sum` does."""
    scale, odds = 1.0, gamma / (1 - gamma)
    remaining = others.sum()
    scratch = np.empty(limit)
    for value in others:
        low = floor - remaining
        if low < 0:
            low = 0
        elif low >= top:
            return reached, 0.0
        remaining -= value
        over = limit - value
        if over < top:
            reached += gamma * scale * _sum(band[max(low, over) : top])
        end = min(top, over)
        if value < SHORT:
            for i in range(low, end):
                scratch[i] = band[i] * odds
            for i in range(low, end):
                band[i + value] += scratch[i]
        else:
            # From the end, by runs that do not overlap with where they go: in place, still several at once.
            while low < end:
                begin = max(low, end - value)
                moved, target = band[begin:end], band[begin + value : end + value]
                for i in range(end - begin):
                    target[i] += moved[i] * odds
                end = begin
        top = min(limit, top + value)
        scale *= 1 - gamma
        if scale < RESCALE:
            for i in range(limit):
                scaled = band[i] * scale
                band[i] = scaled if scaled >= SMALLEST else 0.0
            scale = 1.0
    return reached, (scale * band[floor] if floor < top else 0.0)
