"""The metric ``analysis-null``: does unmarked text behave as claimed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import stela_run
from stela_run.statistics.bootstrap import Counts, Floats

import stela_core as stela
from stela_analysis.resampling import over_texts, ratio
from stela_analysis.shares import clustered_clopper_pearson

LEVELS = (0.1, 0.05, 0.01, 0.001)
FAR = 4.0
"""A z that the papers' normal tail gives a probability of 3.2e-5, and that they take as a threshold."""


class Tests(NamedTuple):
    """Outcomes of t tests of n texts: n times the number of keys."""

    z: Floats
    z_plain: Floats
    p: Floats
    text: Counts
    """Number of the text of each, (t,)."""
    texts: int


class Null(stela_run.Metric):
    """False alarms and z of unmarked text, human and the model's own, under all keys of the experiment.

    Of each kind of text, ``:human`` and ``:model``: ``fpr@A``, share of tests with p at most A, with a
    Clopper-Pearson interval for the number of independent tests the texts amount to, and
    ``fpr-bootstrap@A``, the same share with an interval over texts; ``plain-fpr@A``, the share of plain z
    beyond the normal quantile, as the papers test; mean and sd of z and of plain z; ``z-plain>4``, and
    ``-ratio``, that share over the normal one, and the same of z; ``ks``, the distance of the p-values from
    uniform ones, and ``ks-excess``, the largest excess of small ones, and only this breaks the claim
    (discrete p-values are never quite uniform). Intervals are over texts, for these keys: under one key
    all texts share part of their null.
    """

    name = "analysis-null"
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Values of each kind of text that there is.

        Raises:
            StelaError: there is no unmarked text.
        """
        kinds = {"human": sample.human, "model": sample.model_text}
        values = [
            value
            for kind, rows in kinds.items()
            if any(row.detections for row in rows)
            for value in values_of(kind, tests_of(rows), sample.seed)
        ]
        if not values:
            raise stela.StelaError("there is no unmarked text.", "use more texts, or measure shorter ones")
        return values


def tests_of(rows: Sequence[stela_run.Unmarked]) -> Tests:
    """All detections of some texts."""
    pairs = [(number, one) for number, row in enumerate(rows) for one in row.detections]
    z, z_plain, p = (
        np.array([getattr(one, name) for _, one in pairs], dtype=np.float64)
        for name in ("z", "z_plain", "p_value")
    )
    return Tests(z, z_plain, p, np.array([number for number, _ in pairs]), len(rows))


def values_of(kind: str, tests: Tests, seed: int) -> Iterator[stela_run.Value]:
    """The values of one kind of text."""
    from scipy.stats import kstest, norm

    each = _by_text(tests, np.ones(len(tests.p)))
    for level in LEVELS:
        hits = _by_text(tests, tests.p <= level)
        low, high = clustered_clopper_pearson(hits, each)
        yield stela_run.Value(f"null-fpr@{level:g}:{kind}", hits.sum() / each.sum(), low, high, tests.texts)
        yield ratio(f"null-fpr-bootstrap@{level:g}:{kind}", hits, each, seed)
        plain = _by_text(tests, tests.z_plain > norm.isf(level))
        low, high = clustered_clopper_pearson(plain, each)
        yield stela_run.Value(
            f"null-plain-fpr@{level:g}:{kind}", plain.sum() / each.sum(), low, high, tests.texts
        )
    for name, z in (("z", tests.z), ("z-plain", tests.z_plain)):
        total = _by_text(tests, z)
        yield ratio(f"null-{name}-mean:{kind}", total, each, seed)
        yield _sd(f"null-{name}-sd:{kind}", each, total, _by_text(tests, z * z), seed)
        far = _by_text(tests, z > FAR)
        low, high = clustered_clopper_pearson(far, each)
        share = far.sum() / each.sum()
        yield stela_run.Value(f"null-{name}>{FAR:g}:{kind}", share, low, high, tests.texts)
        normal = float(norm.sf(FAR))
        yield stela_run.Value(
            f"null-{name}>{FAR:g}-ratio:{kind}", share / normal, low / normal, high / normal, tests.texts
        )
    for name, side in (("ks", "two-sided"), ("ks-excess", "greater")):
        distance = float(kstest(tests.p, "uniform", alternative=side).statistic)
        # A resampled distance is larger than the true one, so the bootstrap gives no interval of it.
        yield stela_run.Value(f"null-{name}:{kind}", distance, n=tests.texts)


def _by_text(tests: Tests, values: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    sums: Floats = np.bincount(tests.text, weights=values, minlength=tests.texts).astype(np.float64)
    return sums


def _sd(name: str, each: Floats, total: Floats, squares: Floats, seed: int) -> stela_run.Value:
    def sd(counts: Counts) -> float:
        n, first, second = (float(counts @ sums) for sums in (each, total, squares))
        return float(np.sqrt(max(0.0, (second - first * first / n) / (n - 1)))) if n > 1 else float("nan")

    return over_texts(name, sd, len(each), seed)
