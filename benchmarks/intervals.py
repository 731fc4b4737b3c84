"""Confidence intervals of shares whose trials come in clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats


def clopper_pearson(hits: float, count: float, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval; hits and count need not be whole."""
    tail = (1 - confidence) / 2
    low = 0.0 if hits <= 0 else float(stats.beta.ppf(tail, hits, count - hits + 1))
    high = 1.0 if hits >= count else float(stats.beta.ppf(1 - tail, hits + 1, count - hits))
    return low, high


def clustered(rates: npt.NDArray[np.float64], size: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the mean of ``rates`` (clusters,), each the share among ``size`` trials of one cluster.

    Clopper and Pearson's with the effective number of trials, ``p (1 - p)`` over the variance of the mean
    that the clusters show (Korn and Graubard, Survey Methodology 24, 1998); never more than there are.
    """
    mean, count = float(rates.mean()), float(len(rates) * size)
    variance = float(rates.var(ddof=1)) / len(rates) if len(rates) > 1 else 0.0
    effective = min(count, mean * (1 - mean) / variance) if variance > 0 else count
    return clopper_pearson(mean * effective, effective, confidence)
