"""Intervals and correlations against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, bootstrap, pearsonr, spearmanr
from stela_analysis.correlation import pearson, spearman
from stela_analysis.resampling import over_texts, ratio
from stela_analysis.shares import clustered_clopper_pearson
from stela_run.statistics.shares import clopper_pearson

from tests.tiers import Draws


def test_ratio_of_equal_texts_is_a_mean() -> None:
    """With one token each, the interval is that of SciPy's bootstrap of a mean."""
    values = np.random.default_rng(1).normal(2, 1, 40)
    estimate = ratio("x", values, np.ones(40), seed=3)
    expected = bootstrap(
        (values,), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(3)
    ).confidence_interval
    assert estimate.value == pytest.approx(values.mean())
    assert estimate[2:5] == (pytest.approx(expected.low), pytest.approx(expected.high), 40)


def test_ratio_weighs_texts_by_length() -> None:
    estimate = ratio("x", np.array([1.0, 6.0]), np.array([2.0, 8.0]), seed=0)
    assert estimate.value == pytest.approx(0.7)
    assert estimate[2:4] == (pytest.approx(0.5), pytest.approx(0.75))


def test_without_spread_or_meaning() -> None:
    assert ratio("x", np.array([3.0]), np.array([4.0]), 0) == stela_run.Value("x", 0.75, n=1)
    assert np.isnan(ratio("x", np.zeros(2), np.zeros(2), 0).value)
    only_first = over_texts("x", lambda c: 1.0 if c[0] else float("nan"), 2, 0)
    assert only_first == stela_run.Value("x", 1.0, 1.0, 1.0, 2), "resamples without a value are left out"


@given(st.lists(st.booleans(), min_size=2, max_size=50))
def test_independent_trials_give_clopper_pearson(hits: list[bool]) -> None:
    expected = binomtest(sum(hits), len(hits)).proportion_ci(method="exact")
    interval = clustered_clopper_pearson(np.array(hits, dtype=float), np.ones(len(hits)))
    assert interval == pytest.approx((expected.low, expected.high))


@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(2, 5))
def test_tests_that_repeat_each_other_count_once(hits: list[bool], keys: int) -> None:
    """Texts whose tests all agree are as many trials as there are texts; without a spread, as tests."""
    interval = clustered_clopper_pearson(np.array(hits) * float(keys), np.full(len(hits), float(keys)))
    times = keys if len(set(hits)) == 1 else 1
    expected = binomtest(sum(hits) * times, len(hits) * times).proportion_ci(method="exact")
    assert interval == pytest.approx((expected.low, expected.high))


@pytest.mark.slow
def test_clustered_interval_covers_clustered_trials(draws: Draws) -> None:
    """Clusters share a rate: the plain interval misses the truth often, the clustered one rarely."""
    rng, times = np.random.default_rng(6), draws(300, 100)
    missed, plain, trials = 0, 0, np.full(60, 200.0)
    for _ in range(times):
        hits = rng.binomial(200, rng.beta(2, 18, 60)).astype(float)
        low, high = clustered_clopper_pearson(hits, trials)
        missed += not low <= 0.1 <= high
        low, high = clopper_pearson(int(hits.sum()), 60 * 200)
        plain += not low <= 0.1 <= high
    assert missed <= binom.isf(1e-4, times, 0.05)
    assert plain > times / 3
    independent = rng.binomial(200, 0.1, 60).astype(float)
    assert clustered_clopper_pearson(independent, trials)[1] < 0.115
    assert clustered_clopper_pearson(np.zeros(50), np.full(50, 20.0)) == pytest.approx(
        (0.0, 1 - 0.025 ** (1 / 1000))
    )


FEW = st.integers(-3, 3).map(float)
POINTS = st.lists(st.tuples(FEW, FEW, st.integers(0, 3)), min_size=3, max_size=25)


@pytest.mark.slow
@given(POINTS, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_correlations_are_scipys_of_the_repeated_points(
    points: list[tuple[float, float, int]], counts: list[int]
) -> None:
    """Few values, so many ties."""
    x, y = (np.array([point[n] for point in points]) for n in (0, 1))
    text = np.array([t for _, _, t in points])
    repeats = np.array(counts)[text]
    many_x, many_y = np.repeat(x, repeats), np.repeat(y, repeats)
    correlations = [f(x, y, text)(np.array(counts)) for f in (pearson, spearman)]
    if len(many_x) < 2 or np.ptp(many_x) == 0 or np.ptp(many_y) == 0:
        assert np.isnan(correlations).all()
        return
    assert correlations[0] == pytest.approx(pearsonr(many_x, many_y).statistic, abs=1e-9)
    assert correlations[1] == pytest.approx(spearmanr(many_x, many_y).statistic, abs=1e-9)


def test_correlation_far_from_zero() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    text = np.arange(200)
    shifted = pearson(x + 1e6, y - 1e6, text)(np.ones(200, dtype=np.int64))
    assert shifted == pytest.approx(pearsonr(x, y).statistic, abs=1e-6)


@pytest.mark.slow
def test_interval_of_a_correlation_is_scipys() -> None:
    """One point a text: SciPy's paired bootstrap draws the same points."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    estimate = over_texts("r", pearson(x, y, np.arange(60)), 60, seed=5)
    at = np.arange(60)
    expected = bootstrap(
        (at,), lambda i: pearsonr(x[i], y[i]).statistic, vectorized=False, n_resamples=1000,
        method="percentile", rng=np.random.default_rng(5),
    ).confidence_interval  # fmt: skip
    assert estimate[1:4] == pytest.approx((pearsonr(x, y).statistic, expected.low, expected.high))
