"""Groups, z and the scorer against slow oracles."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import stela_core as stela
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.statistics.grouping import Repeats, group_pairs, group_weights, order_of_groups
from stela_core.statistics.p_value import z_score

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
@given(st.lists(st.integers(0, 9), max_size=30))
def test_groups_come_in_the_order_of_their_first_tokens(numbers: list[int]) -> None:
    groups = np.array(numbers, dtype=np.int64)
    first = [numbers.index(g) for g in np.unique(groups).tolist()]
    assert order_of_groups(groups).tolist() == sorted(range(len(first)), key=first.__getitem__)


def test_distinct_pairs_with_equal_weights_are_binomial() -> None:
    score = scorer(ties="whole").score(np.arange(100) < 70, np.full(100, 0.3), np.arange(100), 0.5)
    assert score.p_value == pytest.approx(stats.binom.sf(69, 100, 0.5), rel=1e-9, abs=0)
    # With ties split: of the arrangements of 70 green coins the very first, and the very last.
    for green, tail in ((np.arange(100) < 70, 70), (np.arange(100) >= 30, 69)):
        split = scorer().score(green, np.full(100, 0.3), np.arange(100), 0.5).p_value
        assert split == pytest.approx(stats.binom.sf(tail, 100, 0.5), rel=1e-9, abs=0)
    assert score.z == score.z_plain == pytest.approx(4.0)


def test_uniform_weights_are_one() -> None:
    assert Uniform(stela.Parameters()).weights(stela.Positions(3)).tolist() == [1.0, 1.0, 1.0]
    assert Uniform(stela.Parameters()).mean("tokens") == 1.0
