"""Weighted coins added one by one to a distribution, by numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SMALLEST = 1e-300
"""p-values below it are given as it: a p-value is never 0."""

RESCALE = 1e-9
"""Smallest collected factor: the band is rescaled below it, long before anything gets denormal."""

Floats = npt.NDArray[np.float64]


def add_coins(
    band: Floats,
    others: npt.NDArray[np.int64],
    limit: int,
    floor: int,
    top: int,
    reached: float,
    gamma: float,
) -> tuple[float, float]:
    """P(S >= ``limit``), and P(S = ``floor``) where floor is below limit, else 0.0, of the sum S of coins.

    Args:
        band: probabilities of the sums 0, 1, ... of the coins so far, (limit,), which is changed.
        others: weights of the coins to add, one each.
        limit: at least 1.
        floor: at least 1, at most ``limit``; sums that cannot reach it are dropped.
        top: all of the band from here on is 0.
        reached: probability of the sums that are not in the band.
        gamma: probability that a coin is green.
    """
    # scale * band[s] is the probability of the sum s among the coins so far; ``scale`` collects the
    # factors 1 - gamma, which saves a pass over the band for each coin.
    scale, odds = 1.0, gamma / (1 - gamma)
    remaining = int(others.sum())
    scratch = np.empty(limit)
    for value in others.tolist():
        low = floor - remaining
        if low < 0:
            low = 0
        elif low >= top:
            return reached, 0.0
        remaining -= value
        over = limit - value
        if over < top:
            reached += gamma * scale * float(np.add.reduce(band[max(low, over) : top]))
        end = min(top, over)
        if low < end:
            moved = scratch[low:end]
            np.multiply(band[low:end], odds, moved)
            target = band[low + value : end + value]
            np.add(target, moved, target)
        top = min(limit, top + value)
        scale *= 1 - gamma
        if scale < RESCALE:
            band *= scale
            band[band < SMALLEST] = 0.0
            scale = 1.0
    return reached, scale * float(band[floor]) if floor < top else 0.0
