"""Detection rates from tests of texts, with intervals over texts, as the metric ``roc`` has them."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from stela_run.report.read import Tests
from stela_run.statistics.bootstrap import Floats, draws, ends
from stela_run.statistics.roc import Roc, Scores, curve, tells
from stela_run.statistics.shares import clopper_pearson, widened

RESAMPLES = 500
AT_ONCE = 50
"""Resamples worked on at once, which changes no value."""


class Estimate(NamedTuple):
    """A number with its 95 % interval, where there is one."""

    value: float
    low: float | None = None
    high: float | None = None


def tpr_at(rate: float, marked: Tests, negatives: Tests) -> Estimate | None:
    """Share of marked texts found where at most ``rate`` of the negatives are.

    ``None`` where there are fewer than ``1 / rate`` negatives, which cannot tell, or no marked text.
    """
    if not len(marked.score) or not tells(len(negatives.score), rate):
        return None
    estimate = _with_interval(Roc(_scores(marked), _scores(negatives), [rate]), 0, marked, negatives)
    if estimate.low is None or estimate.high is None:
        return estimate
    return Estimate(estimate.value, *widened(estimate.value, estimate.low, estimate.high, len(marked.score)))


def nominal(alpha: float, marked: Tests) -> Estimate | None:
    """Share of marked texts whose p-value is at most ``alpha``, with Clopper and Pearson's interval."""
    count = len(marked.p_value)
    if not count:
        return None
    hits = int((marked.p_value <= alpha).sum())
    return Estimate(hits / count, *clopper_pearson(hits, count))


def size(alpha: float, *sides: Tests) -> Estimate | None:
    """Share of the tests of unmarked texts with a p-value of at most ``alpha``: the level in truth.

    The interval is Clopper and Pearson's with the effective number of tests, ``p (1 - p)`` over the variance
    of p that texts show, never more than there are (Korn and Graubard, Survey Methodology 24, 1998): the
    tests of one text, under several keys, are not quite independent.
    """
    tests = [side for side in sides if len(side.p_value)]
    if not tests:
        return None
    hits = np.concatenate([side.p_value <= alpha for side in tests])
    firsts = np.cumsum([0, *(int(side.group.max()) + 1 for side in tests)])
    texts = np.concatenate([side.group + first for side, first in zip(tests, firsts[:-1], strict=True)])
    count, share = len(hits), float(hits.mean())
    variance = float((np.bincount(texts, hits - share) ** 2).sum()) / count**2
    effective = min(count, max(1, round(share * (1 - share) / variance))) if variance > 0 else count
    return Estimate(share, *clopper_pearson(round(share * effective), effective))


def auc(marked: Tests, negatives: Tests) -> Estimate | None:
    """Probability that a marked text scores higher than a negative one; ties count half."""
    if not len(marked.score) or not len(negatives.score):
        return None
    return _with_interval(Roc(_scores(marked), _scores(negatives)), 0, marked, negatives)


def mean_z(marked: Tests) -> Estimate | None:
    """Mean of z, with the interval of a normal mean."""
    return _mean_of(marked.z[np.isfinite(marked.z)])


def mean_evidence(marked: Tests) -> Estimate | None:
    """Mean of -log10 p, with the interval of a normal mean: marks of all kinds compare by it."""
    return _mean_of(marked.score)


def _mean_of(values: Floats) -> Estimate | None:
    if not len(values):
        return None
    mean = float(values.mean())
    if len(values) == 1:
        return Estimate(mean)
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return Estimate(mean, mean - half, mean + half)


def roc_points(marked: Tests, negatives: Tests) -> tuple[Floats, Floats]:
    """False and true positive rates at each threshold, (n,) each, from (0, 0) to (1, 1)."""
    return curve(marked.score, negatives.score)


def _scores(tests: Tests) -> Scores:
    return Scores(tests.score, tests.group, int(tests.group.max()) + 1)


def _with_interval(statistics: Roc, index: int, *sides: Tests) -> Estimate:
    """The statistic of this index, texts drawn with all their tests."""
    value = float(statistics.values()[index])
    counts = [int(side.group.max()) + 1 for side in sides]
    if min(counts) < 2:
        return Estimate(value)
    drawn = draws(counts, RESAMPLES, seed=0, batch=1)
    values: list[Floats] = []
    while some := [*islice(drawn, AT_ONCE)]:
        values.append(statistics(*map(np.concatenate, zip(*some, strict=True)))[index])
    return Estimate(value, *(ends(np.concatenate(values)) or ()))
