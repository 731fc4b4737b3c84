"""The tail of a sum of equal exponentials: Gamma, with full relative accuracy at every depth."""

from __future__ import annotations

import math

import numpy as np

_NEGLIGIBLE = 41.0
"""Minus the log of a term, next to the largest, that adds nothing in double precision."""


def log_gamma_tail(count: int, observed: float) -> float:
    """``log P(E_1 + .. + E_n >= x)``, E_i independent Exp(1); never underflows.

    It is the probability that a Poisson variable of mean x is below n: of the terms
    ``t_k = exp(-x) x^k / k!`` the sum over k < n where x is above n, else 1 minus that over k >= n. Either
    sum starts at its largest term and falls from there, and all terms are positive.

    Args:
        count: n, at least 1.
        observed: x; at or below 0 the probability is 1.
    """
    if observed <= 0:
        return 0.0
    # Ratios of neighbours are at most exp(-j / (n + j)) at the j-th term: this many reach the negligible.
    length = int(_NEGLIGIBLE + math.sqrt(_NEGLIGIBLE * (_NEGLIGIBLE + 2 * count))) + 2
    j = np.arange(min(length, count) if observed > count else length, dtype=np.float64)
    if observed > count:
        ratios = (count - j) / observed
        ratios[0] = 1.0
        return _log_poisson(count - 1, observed) + math.log(float(np.cumprod(ratios).sum()))
    ratios = observed / (count + j)
    ratios[0] = 1.0
    below = math.exp(_log_poisson(count, observed)) * float(np.cumprod(ratios).sum())
    return math.log1p(-min(below, 1.0 - 1e-16))


def _log_poisson(k: int, mean: float) -> float:
    """``log(exp(-mean) mean^k / k!)`` by Loader's (2000) formula: no cancellation where k is near mean."""
    if k == 0:
        return -mean
    excess = (mean - k) / k
    # Where the excess is small, both terms are; near -1 the logarithm has to see the mean itself.
    ratio = math.log1p(excess) if excess > -0.5 else math.log(mean / k)
    return k * (ratio - excess) - _stirling_error(k) - 0.5 * math.log(2 * math.pi * k)


def _stirling_error(k: int) -> float:
    """``log k!`` minus Stirling's formula."""
    if k < 16:
        return math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - 0.5 * math.log(2 * math.pi)
    square = 1.0 / (k * k)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / k
