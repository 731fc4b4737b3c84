"""Power of the test, against all colourings tested by the p-value itself, and against draws."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from stela_detection.power.compiled import add_rows_compiled
from stela_detection.power.power import add_rows, power

from stela_core.statistics.p_value import tail_probability
from tests.tiers import examples

fixed = examples(25, derandomize=True)


def by_all_colourings(weights: list[float], chances: list[float], gamma: float, alpha: float) -> float:
    total = 0.0
    for colours in product((False, True), repeat=len(weights)):
        green = np.array(colours)
        if tail_probability(green, np.array(weights), gamma) <= alpha:
            total += float(np.prod(np.where(green, chances, 1 - np.array(chances))))
    return total


@fixed
@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), min_size=1, max_size=7),
    st.sampled_from([0.25, 0.5, 0.6]),
    st.sampled_from([0.3, 0.05, 0.01]),
)
def test_whole_weights_are_exact(coins: list[tuple[int, float]], gamma: float, alpha: float) -> None:
    weights, chances = [1.0, *(float(w) for w, _ in coins)], [0.8, *(p for _, p in coins)]
    wanted = by_all_colourings(weights, chances, gamma, alpha)
    assert power(np.array(weights), np.array([chances]), gamma, alpha)[0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("count", [5, 17, 40, 200])
@pytest.mark.parametrize("gamma", [0.25, 0.5])
def test_equal_weights_are_binomial(count: int, gamma: float) -> None:
    least = int(stats.binom.isf(1e-3, count, gamma)) + 1
    chances = np.array([np.full(count, p) for p in (gamma, 0.7, 0.9)])
    wanted = [stats.binom.sf(least - 1, count, p) for p in (gamma, 0.7, 0.9)]
    assert power(np.ones(count), chances, gamma, 1e-3) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("count", "lift"), [(30, 0.2), (90, 0.1), pytest.param(700, 0.035, marks=pytest.mark.slow)]
)
def test_weights_of_any_size_against_draws(count: int, lift: float) -> None:
    """Also where it is by the normal distribution; 300 draws, four standard errors."""
    rng = np.random.default_rng(count)
    weights = rng.random(count) ** 2 + 0.01
    chances = np.clip(0.5 + lift * weights / weights.mean(), 0, 0.98)
    reached = np.mean(
        [tail_probability(rng.random(count) < chances, weights, 0.5) <= 0.01 for _ in range(300)]
    )
    [said] = power(weights, chances[None], 0.5, 0.01)
    assert 0.1 < said < 0.97, "a case that tells something"
    assert abs(said - reached) < 4 * np.sqrt(said * (1 - said) / 300) + 0.01


@pytest.mark.parametrize("weights", [np.ones(40), np.linspace(0.3, 1, 40)])
def test_unmarked_text_is_found_no_more_often_than_alpha(weights: np.ndarray) -> None:
    [size] = power(weights, np.full((1, 40), 0.5), 0.5, 1e-3)
    assert size <= 1e-3 * (1 + 1e-9)
    assert size > 1e-4


def test_no_evidence_has_no_power() -> None:
    assert power(np.zeros(3), np.ones((2, 3)), 0.5, 0.5).tolist() == [0.0, 0.0]
    assert power(np.ones(9), np.ones((1, 9)), 0.5, 1e-3).tolist() == [0.0], "nine heads are 0.002"
    assert power(np.ones(10), np.ones((1, 10)), 0.5, 1e-3).tolist() == [1.0]
    assert power(np.array([1e-300, 1.0]), np.ones((1, 2)), 0.5, 0.6).tolist() == [1.0]


@pytest.mark.slow
@examples(80)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=120), st.randoms(use_true_random=False))
def test_rows_have_the_same_bits(units: list[int], random: random.Random) -> None:
    chances = np.array([[random.random() for _ in units] for _ in range(3)])
    sums = np.zeros((3, sum(units) + 1))
    sums[:, 0] = 1.0
    compiled = sums.copy()
    add_rows(sums, np.array(units), chances)
    add_rows_compiled(compiled, np.array(units), chances)
    assert compiled.tobytes() == sums.tobytes()
