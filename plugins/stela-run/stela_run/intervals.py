"""Means with bootstrap confidence intervals, for metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stela_core import StelaError
from stela_run.metric import Value
from stela_run.statistics.bootstrap import mean_ends

RESAMPLES = 2_000


def mean_value(name: str, values: Sequence[float], seed: int) -> Value:
    """The mean over texts, with its 95 % interval by the percentile bootstrap.

    The ends are quantiles of resampled means, so a monotone function of mean and ends is again an
    interval: ``exp`` of a mean log-perplexity, say.

    Args:
        name: of the value.
        values: one number for each text.
        seed: of the resampling; the same values and seed give the same interval.

    Returns:
        ``n`` is the number of texts. A single text has no interval; where all values are equal, its ends
        are that value: the texts told nothing of its spread.

    Raises:
        StelaError: there is no text, or a value is not finite.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not len(numbers):
        raise StelaError(f'no text to measure "{name}" on.', "use more texts, or a smaller length")
    if not np.isfinite(numbers).all():
        raise StelaError(f'"{name}" is not a finite number for some text.', "report it to the metric's maker")
    mean = float(numbers.mean())
    if len(numbers) == 1:
        return Value(name, mean, n=1)
    if np.ptp(numbers) == 0:
        # The mean of equal numbers may differ from them by a rounding error.
        same = float(numbers[0])
        return Value(name, same, same, same, len(numbers))
    return Value(name, mean, *mean_ends(numbers, RESAMPLES, seed), len(numbers))
