"""Power of the test: how often its p-value reaches a level where coins are green more often than unmarked."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from stela_kernels.lazy_compiled import LazyCompiled

from stela_core.api import dot, dots

Floats = npt.NDArray[np.float64]
Adding = Callable[[Floats, npt.NDArray[np.int64], Floats], None]

UNITS = 1024
"""Units that the sum of the weights is divided into: a power is good to about 0.01, and cheap."""

MOST_COINS = 512
"""More coins than that are normal."""

CERTAIN = 3.5
"""Standard deviations beyond the threshold from which a normal distribution of many coins will do."""


def power(weights: Floats, chances: Floats, gamma: float, alpha: float) -> Floats:
    """P(p-value <= alpha) under each of m alternatives, (m,).

    The test is the core's (``statistics/p_value.py``). It rejects where the weighted count of green coins
    reaches the least sum whose tail under gamma is at most alpha. The count's distributions are worked out
    coin by coin.
    Weights that are whole multiples of the smallest keep their steps; others are rounded, and the step that
    rounding makes at the threshold is divided so that the test has exactly the size alpha.

    Args:
        weights: of n independent coins, (n,), finite and at least 0.
        chances: probability that each coin is green, (m, n), at most 1.
        gamma: the same in unmarked text, in (0, 1).
        alpha: level of the test.
    """
    positive = weights > 0
    if not positive.any():
        return np.zeros(len(chances))
    weights, chances = weights[positive] / weights.max(), chances[:, positive]
    reach = _normal_reach(weights, chances, gamma, alpha)
    if len(weights) > MOST_COINS or (len(weights) >= 64 and float(reach.min()) > CERTAIN):
        return np.array([NormalDist().cdf(value) for value in reach.tolist()])
    units, stepped = _units(weights)
    sums = np.zeros((len(chances) + 1, int(units.sum()) + 1))
    sums[:, 0] = 1.0
    ADDING.run(sums, units, np.vstack([np.full(len(units), gamma), chances]))
    tails = np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]
    least = int(np.count_nonzero(tails[0] > alpha))
    reached = tails[1:, least] if least < tails.shape[1] else np.zeros(len(chances))
    if not stepped and least:
        above = float(tails[0, least]) if least < tails.shape[1] else 0.0
        reached = reached + sums[1:, least - 1] * (alpha - above) / float(sums[0, least - 1])
    return np.clip(reached, 0.0, 1.0)


def add_rows(sums: Floats, units: npt.NDArray[np.int64], chances: Floats) -> None:
    """Add coins to distributions of their weighted count, by numpy: the definition.

    Args:
        sums: probabilities of the sums 0, 1, ..., (rows, more than all units), which are changed: now 1 at 0.
        units: whole weights, (n,), at least 0.
        chances: probability that a coin is green, (rows, n).
    """
    top = 1
    for unit, chance in zip(units.tolist(), chances.T, strict=True):
        moved = sums[:, :top] * chance[:, None]
        sums[:, :top] -= moved
        sums[:, unit : unit + top] += moved
        top += unit


def _compiled() -> Adding:
    from stela_detection.power.compiled import add_rows_compiled

    compiled: Adding = add_rows_compiled
    return compiled


ADDING: LazyCompiled[Adding] = LazyCompiled(add_rows, _compiled)


def _normal_reach(weights: Floats, chances: Floats, gamma: float, alpha: float) -> Floats:
    """How many standard deviations the mean count lies above the threshold, both normal, (m,)."""
    null = gamma * float(weights.sum()) - NormalDist().inv_cdf(alpha) * np.sqrt(
        gamma * (1 - gamma) * dot(weights, weights)
    )
    spread = np.sqrt(dots(chances * (1 - chances), weights * weights))
    return np.asarray((dots(chances, weights) - null) / np.maximum(spread, 1e-12))


def _units(weights: Floats) -> tuple[npt.NDArray[np.int64], bool]:
    """Whole numbers proportional to positive weights, (n,), and whether they are so exactly."""
    exact = weights / weights.min() if weights.min() * UNITS >= 1 else np.full(len(weights), 0.5)
    whole = np.rint(exact)
    if np.abs(exact - whole).max() <= 1e-9 * exact.max() and whole.sum() <= UNITS:
        return whole.astype(np.int64), True
    return np.rint(weights / weights.sum() * UNITS).astype(np.int64), False
