"""Bootstrap intervals of paired comparisons: prompts are drawn, each with all its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from stela_core.statistics.bootstrap import Floats, drawn_counts, ends

RESAMPLES = 2_000
SEED = 2026


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"

    @property
    def sign(self) -> int:
        """1 or -1 where the interval lies above or below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def estimate(prompts: Sequence[str], values: Floats, statistic: Callable[[Floats], Floats]) -> Estimate:
    """A statistic of means over texts, with prompts drawn anew.

    Args:
        prompts: of the texts, (texts,): those of one prompt are drawn together.
        values: (cells, texts).
        statistic: from means of the cells, (cells, resamples), to (resamples,).
    """
    names, group = np.unique(np.asarray(prompts), return_inverse=True)
    sums = np.stack([np.bincount(group, row, len(names)) for row in values])
    sizes = np.bincount(group, minlength=len(names)).astype(np.float64)
    drawn = drawn_counts(len(names), RESAMPLES, SEED)
    means = sums @ drawn.T / (sizes @ drawn.T)
    whole = statistic(values.mean(axis=1)[:, None])[0]
    return Estimate(float(whole), *(ends(statistic(means)) or (float("nan"), float("nan"))))


def difference(prompts: Sequence[str], values: Floats) -> Estimate:
    """Mean of the first cell less that of the second."""
    return estimate(prompts, values, lambda means: means[0] - means[1])


def share_of_the_way(prompts: Sequence[str], values: Floats) -> Estimate:
    """(cell - floor) / (bound - floor) of cells (cell, floor, bound)."""
    return estimate(prompts, values, lambda m: (m[0] - m[1]) / (m[2] - m[1]))
