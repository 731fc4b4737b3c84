"""Paired differences, against SciPy's t test and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp
from stela_run.statistics.paired import MOST, paired, pairs_needed


@pytest.mark.parametrize("count", [2, 5, 40])
def test_mean_interval_and_p_are_scipy_s(count: int) -> None:
    values = np.random.default_rng(count).normal(0.4, 1.3, count)
    found, wanted = paired(values), ttest_1samp(values, 0)
    ends = wanted.confidence_interval()
    assert found.p == pytest.approx(wanted.pvalue)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    assert (found.mean, found.sd) == pytest.approx((values.mean(), values.std(ddof=1)))


@pytest.mark.parametrize("values", [[2.0], [0.1] * 7])
def test_without_a_spread_nothing_is_decided(values: list[float]) -> None:
    found = paired(np.array(values))
    assert (found.p, found.low, found.high) == (1.0, None, None)


def test_the_level_holds_where_there_is_no_difference() -> None:
    """Of 2,000 tests of 8 pairs at 5 %; 4 standard deviations of a share are 0.0195."""
    draws = np.random.default_rng(1).normal(0, 2, (2_000, 8))
    assert np.mean([paired(row).p <= 0.05 for row in draws]) == pytest.approx(0.05, abs=0.0195)


@pytest.mark.parametrize(("effect", "level"), [(0.5, 0.05), (-0.3, 0.05), (0.4, 0.05 / 6), (3.0, 0.05)])
def test_so_many_pairs_find_a_difference_four_times_in_five(effect: float, level: float) -> None:
    """SciPy's t distribution on drawn samples; one pair fewer has less power, as numbers are the least."""
    needed = pairs_needed(effect, 1.0, level)
    assert needed is not None
    draws = np.random.default_rng(2).normal(effect, 1, (20_000, needed))
    found = ttest_1samp(draws, 0, axis=1).pvalue <= level
    assert 0.785 < found.mean() < (0.83 if needed > 10 else 1.0)


def test_the_number_is_near_the_normal_one_where_it_is_large() -> None:
    """(1.96 + 0.8416) ** 2 / 0.05 ** 2 = 3139.6; of t, two more."""
    assert pairs_needed(0.05, 1.0, 0.05) == pytest.approx(3140, abs=4)
    assert pairs_needed(1e-4, 1.0, 0.05) is None
    assert t.ppf(0.975, MOST) == pytest.approx(1.96, abs=1e-3)
