"""Pearson's and Spearman's correlation of points in texts, each text counted any number of times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from stela_run.statistics.bootstrap import Counts, Floats

Statistic = Callable[[Counts], float]


def pearson(x: Floats, y: Floats, text: npt.NDArray[np.intp]) -> Statistic:
    """Counts of the texts, (texts,), to r over the points, those of text t repeated ``counts[t]`` times.

    It is ``scipy.stats.pearsonr`` of the repeated points, without repeating them; ``nan`` where x or y is
    constant.

    Args:
        x: of n points, (n,).
        y: of n points, (n,).
        text: the number of each point's text, (n,).
    """
    # Far from 0, sums of squares would cancel.
    x, y = x - x.mean(), y - y.mean()
    return lambda counts: _weighted(x, y, counts[text].astype(np.float64))


def spearman(x: Floats, y: Floats, text: npt.NDArray[np.intp]) -> Statistic:
    """The same for Spearman's rho, ``scipy.stats.spearmanr`` of the repeated points; arguments as above.

    The rank of a value is the mean of the places it takes: those of smaller values come first, and it has
    as many as its points count.
    """
    x_codes, y_codes = (np.unique(values, return_inverse=True)[1].reshape(-1) for values in (x, y))

    def rho(counts: Counts) -> float:
        weights = counts[text].astype(np.float64)
        return _weighted(_ranks(x_codes, weights), _ranks(y_codes, weights), weights)

    return rho


def _ranks(codes: npt.NDArray[np.intp], weights: Floats) -> Floats:
    """Mean rank of each point, less a constant."""
    places = np.bincount(codes, weights=weights)
    ranks: Floats = (np.cumsum(places) - places / 2)[codes]
    return ranks


def _weighted(x: Floats, y: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    if not total:
        return float("nan")
    x = x - weights @ x / total
    y = y - weights @ y / total
    spread = float(weights @ (x * x)) * float(weights @ (y * y))
    # What is left of constant values is a rounding error.
    seen = weights > 0
    if spread <= 0 or np.ptp(x[seen]) == 0 or np.ptp(y[seen]) == 0:
        return float("nan")
    return float(weights @ (x * y)) / float(np.sqrt(spread))
