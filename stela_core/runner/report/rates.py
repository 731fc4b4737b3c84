"""Detection rates from tests of texts, with bootstrap intervals, in numpy.

The definitions are those of the metric ``roc``: a score is ``-log10 p``, the rate at a false positive rate
is that at the lowest threshold which flags no larger share of the negatives, and texts are resampled with
all their tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.runner.report.read import Floats, Outcomes
from stela_core.statistics.intervals import clopper_pearson

Indices = npt.NDArray[np.intp]
RESAMPLES = 500
CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A number with its 95 % interval, where there is one."""

    value: float
    low: float | None = None
    high: float | None = None


def tpr_at(rate: float, marked: Outcomes, negatives: Outcomes) -> Estimate | None:
    """Share of marked texts found where at most ``rate`` of the negatives are.

    ``None`` where there are fewer than ``1 / rate`` negatives, which cannot tell, or no marked text.
    """
    if not len(marked.score) or len(negatives.score) < round(1 / rate, 6):
        return None

    def statistic(found: Floats, others: Floats) -> float:
        allowed = int(rate * len(others) + 1e-9)
        return float(np.mean(found > np.partition(others, len(others) - 1 - allowed)[-1 - allowed]))

    value, low, high = _with_interval(statistic, marked, negatives)
    if value in (0.0, 1.0) and low is not None and high is not None:
        # All resamples agree, which says too much.
        count = len(marked.score)
        exact = clopper_pearson(round(value * count), count, CONFIDENCE)
        low, high = min(low, exact[0]), max(high, exact[1])
    return Estimate(value, low, high)


def nominal(alpha: float, marked: Outcomes) -> Estimate | None:
    """Share of marked texts whose p-value is at most ``alpha``, with Clopper and Pearson's interval."""
    count = len(marked.p_value)
    if not count:
        return None
    hits = int((marked.p_value <= alpha).sum())
    return Estimate(hits / count, *clopper_pearson(hits, count, CONFIDENCE))


def auc(marked: Outcomes, negatives: Outcomes) -> Estimate | None:
    """Probability that a marked text scores higher than a negative one; ties count half."""
    if not len(marked.score) or not len(negatives.score):
        return None

    def statistic(found: Floats, others: Floats) -> float:
        others = np.sort(others)
        below = np.searchsorted(others, found, side="left") + np.searchsorted(others, found, side="right")
        return float(below.mean() / 2 / len(others))

    return _with_interval(statistic, marked, negatives)


def mean_z(marked: Outcomes) -> Estimate | None:
    """Mean of z, with the interval of a normal mean."""
    z = marked.z[np.isfinite(marked.z)]
    if not len(z):
        return None
    mean = float(z.mean())
    if len(z) == 1:
        return Estimate(mean)
    half = 1.96 * float(z.std(ddof=1)) / len(z) ** 0.5
    return Estimate(mean, mean - half, mean + half)


def roc_points(marked: Outcomes, negatives: Outcomes) -> tuple[Floats, Floats]:
    """False and true positive rates at each threshold, (n,) each, from (0, 0) to (1, 1).

    A threshold flags the scores at or above it; thresholds are the distinct scores.
    """
    scores = np.concatenate([marked.score, negatives.score])
    thresholds = np.unique(scores)[::-1]
    rates = [
        1 - np.searchsorted(np.sort(tests.score), thresholds, side="left") / len(tests.score)
        for tests in (negatives, marked)
    ]
    return np.append(0.0, rates[0]), np.append(0.0, rates[1])


def _with_interval(
    statistic: Callable[[Floats, Floats], float], marked: Outcomes, negatives: Outcomes
) -> Estimate:
    sides = (marked, negatives)
    value = statistic(marked.score, negatives.score)
    if any(one.group.max() == 0 for one in sides):
        return Estimate(value)
    draws = np.random.default_rng(0)
    # Tests of one text stand together.
    orders = [np.argsort(one.group, kind="stable") for one in sides]
    scores = [one.score[order] for one, order in zip(sides, orders, strict=True)]
    sizes = [np.bincount(one.group) for one in sides]
    found = []
    for _ in range(RESAMPLES):
        first, second = (row[_draw(draws, of)] for row, of in zip(scores, sizes, strict=True))
        found.append(statistic(first, second))
    low, high = np.percentile(found, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _draw(draws: np.random.Generator, sizes: Indices) -> Indices:
    """Places of the tests of texts drawn with replacement, given how many tests each text has."""
    texts = draws.integers(len(sizes), size=len(sizes))
    drawn = sizes[texts]
    starts = (np.cumsum(sizes) - sizes)[texts]
    within = np.arange(drawn.sum()) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    places: Indices = np.repeat(starts, drawn) + within
    return places
