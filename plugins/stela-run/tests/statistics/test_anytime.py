"""A test that may be looked at after each pair keeps its level; its interval and its p-value are one test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, nct, norm, t
from stela_run.statistics.anytime import C2, anytime, half_width, log_e_values, pairs_to_decide
from stela_run.statistics.paired import paired

LEVEL = 0.05
LONGEST = 400

LAWS = {
    "normal": lambda draws, shape: draws.normal(0, 3, shape),
    # Of two tests of 25 fair coins each, as z of short texts of green lists is.
    "coins": lambda draws, shape: (draws.binomial(25, 0.5, shape) - draws.binomial(25, 0.5, shape)) / 2.5,
    "student": lambda draws, shape: draws.standard_t(5, shape),
}


def share_found(law: str, runs: int, seed: int) -> float:
    """Share of null comparisons that are called different at any of 400 looks."""
    draws = np.random.default_rng(seed)
    differences = LAWS[law](draws, (runs, LONGEST))
    return float(np.mean([log_e_values(row).max() >= math.log(1 / LEVEL) for row in differences]))


@pytest.mark.deep(stand_in="test_the_level_holds_over_fewer_null_comparisons")
@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_the_level_holds_over_10_000_null_comparisons(law: str) -> None:
    """The upper end of the share's 99.9 % interval is the level: a share of 5.7 % would fail."""
    share = share_found(law, 10_000, seed=1)
    assert share <= binom.isf(0.001, 10_000, LEVEL) / 10_000


@pytest.mark.parametrize("law", LAWS)
def test_the_level_holds_over_fewer_null_comparisons(law: str) -> None:
    """Of 400: a true share of 12 % would be found with probability 90 % and more; Student's is above it."""
    most = binom.isf(0.001, 400, LEVEL)
    assert binom.sf(most, 400, 0.12) > 0.9
    assert share_found(law, 400, seed=2) * 400 <= most


def test_a_test_that_does_not_expect_looks_fails_this_test() -> None:
    """Student's, at each of the same looks, calls many more of 400 null comparisons different."""
    differences = LAWS["normal"](np.random.default_rng(2), (400, LONGEST))
    n = np.arange(2, LONGEST + 1)
    sums, squares = differences.cumsum(axis=1)[:, 1:], (differences**2).cumsum(axis=1)[:, 1:]
    statistic = sums / np.sqrt(n * (squares - sums**2 / n) / (n - 1))
    found = (np.abs(statistic) > t.isf(LEVEL / 2, n - 1)).any(axis=1)
    assert found.mean() > 0.3


@pytest.mark.parametrize("count", [2, 7, 40])
def test_e_values_are_mixtures_of_likelihood_ratios(count: int) -> None:
    """Over effects of variance 1 / c2: the noncentral law of Student's t over the central one."""
    values = np.random.default_rng(count).normal(0.4, 1, count)
    statistic = paired(values).mean / paired(values).sd * math.sqrt(count)

    def weighted(effect: float) -> float:
        ratio = nct.pdf(statistic, count - 1, effect * math.sqrt(count)) / t.pdf(statistic, count - 1)
        return float(ratio * norm.pdf(effect, 0, C2**-0.5))

    slowly = quad(weighted, -3, 3, limit=200)[0]
    assert math.exp(log_e_values(values)[-1]) == pytest.approx(slowly, rel=1e-5)


def test_the_interval_holds_what_its_test_does_not_reject() -> None:
    values = np.random.default_rng(3).normal(0.3, 1, 60)
    mean, low, high, p, sd, count = anytime(values)
    assert low is not None
    assert high is not None
    for end in (low, high):
        assert log_e_values(values - end)[-1] == pytest.approx(math.log(1 / LEVEL))
    assert (mean, sd, count) == (np.mean(values), np.std(values, ddof=1), 60)
    assert p == pytest.approx(math.exp(-log_e_values(values).max()))
    plain = paired(values)
    assert plain.high is not None
    assert high > plain.high, "to be looked at again and again costs something"


def test_what_tells_no_spread_tells_nothing() -> None:
    for values in (np.zeros(5), np.ones(5), np.array([2.0])):
        judged = anytime(values)
        assert (judged.low, judged.high, judged.p) == (None, None, 1.0)
    assert anytime(np.array([1.0, 1.1])).low is None, "two pairs leave every mean in"


def test_pairs_to_decide_are_the_first_that_are_enough() -> None:
    count = pairs_to_decide(0.5, 1.0, LEVEL)
    assert count is not None
    assert 0.5 * math.sqrt(count) >= half_width(count, LEVEL)
    assert 0.5 * math.sqrt(count - 1) < half_width(count - 1, LEVEL)
    assert pairs_to_decide(1e-5, 1.0, LEVEL) is None
