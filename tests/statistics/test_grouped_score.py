"""Groups, z and the scorer against slow oracles."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.builtin.weightings import Uniform
from stela_core.statistics.grouping import (
    EXPONENTS,
    Repeats,
    group_pairs,
    group_weights,
    order_of_groups,
)
from stela_core.statistics.zscore import z_score
from tests.oracles import grouped_z

fixed = settings(deadline=None, derandomize=True)
ids = st.integers(0, 2) | st.integers(0, 2**32 - 1)


@fixed
@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[ids] * (width + 1)), max_size=30)))
def test_groups_are_the_distinct_pairs(pairs: list[tuple[int, ...]]) -> None:
    array = np.array(pairs, dtype=np.int64).reshape(len(pairs), len(pairs[0]) if pairs else 2)
    groups = group_pairs(array[:, :-1], array[:, -1]).tolist()
    assert len(groups) == len(pairs)
    assert sorted(set(groups)) == list(range(len(set(pairs))))
    assert len(set(zip(pairs, groups, strict=True))) == len(set(pairs))


def test_group_weights_sum_and_skip_unused_numbers() -> None:
    green = np.array([True, False, True, True])
    colours, sums = group_weights(green, np.array([1.0, 2.0, 0.5, 0.0]), np.array([3, 0, 3, 1]))
    assert colours.tolist() == [False, True, True]
    assert sums.tolist() == [2.0, 0.0, 1.5]


@fixed
@given(
    st.lists(st.tuples(st.floats(0, 5), st.booleans()), min_size=1, max_size=30), st.sampled_from([0.25, 0.5])
)
def test_z_is_the_papers_formula(coins: list[tuple[float, bool]], gamma: float) -> None:
    weights, green = [w for w, _ in coins], [c for _, c in coins]
    squares = math.fsum(w * w for w in weights)
    z = z_score(np.array(green), np.array(weights), gamma)
    if squares < 1e-200:
        assert math.isfinite(z)
        return
    top = math.fsum(w for w, c in coins if c) - gamma * math.fsum(weights)
    assert z == pytest.approx(top / math.sqrt(gamma * (1 - gamma) * squares), rel=1e-9, abs=1e-9)


def test_z_of_equal_weights_is_kgw() -> None:
    # 28 green of 36 at gamma 0.5: (28 - 18) / sqrt(36 / 4) = 10 / 3.
    assert z_score(np.arange(36) < 28, np.ones(36), 0.5) == pytest.approx(10 / 3)
    assert z_score(np.arange(36) < 28, np.full(36, 1e-200), 0.5) == pytest.approx(10 / 3)


def scorer(repeats: Repeats = "fourth-root", ties: Literal["split", "whole"] = "split") -> GroupedScorer:
    return GroupedScorer(GroupedParameters(repeats=repeats, ties=ties))


@pytest.mark.parametrize(
    ("rule", "weight"), [("sum", 10.0), ("root", 10**0.5), ("fourth-root", 10**0.25), ("mean", 1.0)]
)
def test_repeats_are_one_coin(rule: Repeats, weight: float) -> None:
    """Ten tokens of one pair, green, and one token of another, red."""
    green, weights = np.array([True] * 10 + [False]), np.ones(11)
    score = scorer(rule).score(green, weights, np.array([0] * 10 + [1]), 0.5)
    assert score.p_value == 0.5
    assert score.z == pytest.approx((weight - (weight + 1) / 2) / math.sqrt(0.25 * (weight**2 + 1)))
    assert score.z_plain == pytest.approx((10 - 5.5) / math.sqrt(0.25 * 11))


@fixed
@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 5)), min_size=1, max_size=12),
    st.sampled_from(list(EXPONENTS)),
    st.sampled_from(["split", "whole"]),
    st.sampled_from([0.25, 0.5]),
)
def test_p_is_valid_over_all_colourings(
    tokens: list[tuple[int, float]], rule: Repeats, ties: Literal["split", "whole"], gamma: float
) -> None:
    """P(p <= a) <= a for each a that p takes, whatever is repeated; and p falls where a pair turns green."""
    groups = np.unique([g for g, _ in tokens], return_inverse=True)[1].reshape(-1)
    weights = np.array([w for _, w in tokens])
    pairs = int(groups.max()) + 1
    p_of, chances = {}, {}
    for coins in itertools.product((0, 1), repeat=pairs):
        green = np.array(coins, dtype=np.bool_)[groups]
        p_of[coins] = scorer(rule, ties).score(green, weights, groups, gamma).p_value
        chances[coins] = gamma ** sum(coins) * (1 - gamma) ** (pairs - sum(coins))
    for coins, p in p_of.items():
        assert sum(chances[other] for other in p_of if p_of[other] <= p) <= p * (1 + 1e-9)
        for pair in range(pairs):
            greener = (*coins[:pair], 1, *coins[pair + 1 :])
            assert p_of[greener] <= p * (1 + 1e-9)


@fixed
@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(0.01, 5)), min_size=1, max_size=30),
    st.sampled_from(list(EXPONENTS)),
    st.integers(0, 2**10 - 1),
)
def test_z_is_that_of_the_weights_that_the_scorer_shares_out(
    tokens: list[tuple[int, float]], rule: Repeats, colours: int
) -> None:
    groups = np.unique([g for g, _ in tokens], return_inverse=True)[1].reshape(-1)
    weights = np.array([w for _, w in tokens])
    green = (colours >> groups & 1).astype(np.bool_)
    found = scorer(rule)
    shared = weights * found.shares(np.bincount(groups))[groups]
    wanted = grouped_z(green.tolist(), weights.tolist(), groups.tolist(), 0.5, EXPONENTS[rule])
    summed = grouped_z(green.tolist(), shared.tolist(), groups.tolist(), 0.5, 1.0)
    assert found.score(green, weights, groups, 0.5).z == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert summed == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@fixed
@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 5)), max_size=30), st.permutations(range(10)))
def test_numbers_of_groups_do_not_matter(tokens: list[tuple[int, float]], numbers: list[int]) -> None:
    groups = np.array([g for g, _ in tokens], dtype=np.int64)
    weights = np.array([w for _, w in tokens], dtype=float)
    green = groups % 3 == 0
    other = np.array(numbers)[groups] if len(groups) else groups
    one, two = (scorer().score(green, weights, g, 0.5) for g in (groups, other))
    assert one.p_value == pytest.approx(two.p_value, rel=1e-9)
    assert one.z == pytest.approx(two.z, rel=1e-9, abs=1e-9)
    first = [groups.tolist().index(g) for g in np.unique(groups).tolist()]
    assert order_of_groups(groups).tolist() == sorted(range(len(first)), key=first.__getitem__)


def test_distinct_pairs_with_equal_weights_are_binomial() -> None:
    score = scorer(ties="whole").score(np.arange(100) < 70, np.full(100, 0.3), np.arange(100), 0.5)
    assert score.p_value == pytest.approx(stats.binom.sf(69, 100, 0.5), rel=1e-9, abs=0)
    # With ties split: of the arrangements of 70 green coins the very first, and the very last.
    for green, tail in ((np.arange(100) < 70, 70), (np.arange(100) >= 30, 69)):
        split = scorer().score(green, np.full(100, 0.3), np.arange(100), 0.5).p_value
        assert split == pytest.approx(stats.binom.sf(tail, 100, 0.5), rel=1e-9, abs=0)
    assert score.z == score.z_plain == pytest.approx(4.0)


def test_nothing_scored() -> None:
    empty = np.zeros(0)
    nothing = scorer().score(empty.astype(np.bool_), empty, empty.astype(np.int64), 0.5)
    weightless = scorer().score(np.ones(3, np.bool_), np.zeros(3), np.arange(3), 0.5)
    assert nothing == weightless == stela.Score(z=0.0, z_plain=0.0, p_value=1.0)


@pytest.mark.slow
def test_repetitive_unmarked_text_keeps_its_error_rate() -> None:
    """Tokens drawn from few pairs: the plain z overshoots, the grouped score does not."""
    rng = np.random.default_rng(12)
    grouped, plain, p_values = [], [], []
    for _ in range(2000):
        groups = np.unique(rng.zipf(1.5, 200) % 97, return_inverse=True)[1]
        green = (rng.random(97) < 0.25)[groups]
        score = scorer().score(green, rng.random(97)[groups], groups, 0.25)
        grouped.append(score.z)
        plain.append(score.z_plain)
        p_values.append(score.p_value)
    assert np.std(grouped) == pytest.approx(1.0, abs=0.06)  # standard error 0.016
    assert np.std(plain) > 2
    for alpha in (0.5, 0.1, 0.01):
        assert (np.array(p_values) <= alpha).sum() <= stats.binom.isf(1e-6, 2000, alpha)


def test_uniform_weights_are_one() -> None:
    assert Uniform(stela.Parameters()).weights(stela.Positions(3)).tolist() == [1.0, 1.0, 1.0]
    assert Uniform(stela.Parameters()).mean("tokens") == 1.0
