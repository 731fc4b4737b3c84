"""Paired differences: their mean with Student's interval, and how many pairs would be needed to see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stela_run.statistics.bootstrap import Floats
from stela_run.statistics.shares import CONFIDENCE

POWER = 0.8
MOST = 1_000_000
"""Pairs that are counted up to."""


class Paired(NamedTuple):
    """What differences of pairs say of their mean."""

    mean: float
    low: float | None
    """End of the 95 % interval; ``None`` where the pairs do not tell the spread."""
    high: float | None
    p: float
    """Two-sided, of mean 0; 1 where the pairs do not tell the spread."""
    sd: float
    """Standard deviation of the differences, with n - 1 below."""
    pairs: int


def paired(differences: Floats) -> Paired:
    """Student's t test of the mean of independent differences, (pairs,), at least one."""
    from scipy.special import stdtr, stdtrit  # slow to import

    count, (mean, sd) = len(differences), moments(differences)
    if sd == 0:
        return Paired(mean, None, None, 1.0, 0.0, count)
    error = sd / math.sqrt(count)
    half = float(stdtrit(count - 1, 0.5 + CONFIDENCE / 2)) * error
    p = min(1.0, 2 * float(stdtr(count - 1, -abs(mean) / error)))
    return Paired(mean, mean - half, mean + half, p, sd, count)


def moments(differences: Floats) -> tuple[float, float]:
    """Mean and standard deviation, the latter 0 of one difference and of equal ones."""
    mean = float(np.mean(differences))
    sd = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    # Of equal differences, rounding leaves a spread that says nothing.
    return mean, 0.0 if sd <= 1e-12 * max(1.0, abs(mean)) else sd


def pairs_needed(effect: float, sd: float, level: float, power: float = POWER) -> int | None:
    """How many pairs a two-sided t test needs to find a mean difference.

    The power is that of the noncentral t distribution (Cohen, Statistical Power Analysis, 1988, chapter 2).

    Args:
        effect: the true mean difference.
        sd: standard deviation of the differences, above 0.
        level: of the test, in (0, 1).
        power: probability of finding it, in (level, 1).

    Returns:
        ``None`` where more than :data:`MOST` are needed.
    """

    def enough(count: int) -> bool:
        return _power(abs(effect) / sd, count, level) >= power

    return least_count(enough, MOST)


def least_count(enough: Callable[[int], bool], most: int) -> int | None:
    """The least number, from 2 on, that is enough, as all above it are; ``None`` where ``most`` is not."""
    low, high = 1, 2
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _power(size: float, count: int, level: float) -> float:
    from scipy.special import nctdtr, stdtrit  # slow to import

    threshold = float(stdtrit(count - 1, 1 - level / 2))
    # The other side has no part in it: what it finds there is of the wrong sign.
    above = 1 - float(nctdtr(count - 1, size * math.sqrt(count), threshold))
    return above if math.isfinite(above) else 1.0
