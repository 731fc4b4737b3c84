"""Ties split by the order of the coins, against lists of all arrangements and against samples."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stela_core.statistics.p_value import (
    convolved_tail,
    convolved_tie,
    listed_tie,
    share_at_least,
    split_tail_probability,
    tail_probability,
)
from tests.oracles import split_tail_by_enumeration

fixed = settings(deadline=None, derandomize=True)


@fixed
@given(st.lists(st.booleans(), min_size=1, max_size=10))
def test_share_counts_the_arrangements_that_come_no_later(colours: list[bool]) -> None:
    same_count = [c for c in itertools.product((False, True), repeat=len(colours)) if sum(c) == sum(colours)]
    wanted = sum(c >= tuple(colours) for c in same_count) / len(same_count)
    assert share_at_least(colours) == pytest.approx(wanted, rel=1e-12)


def test_share_of_long_rows_stops_where_it_is_settled() -> None:
    rng = np.random.default_rng(1)
    shares = [share_at_least((rng.random(3000) < 0.5).tolist()) for _ in range(1000)]
    assert stats.kstest(shares, "uniform").pvalue > 1e-3


@fixed
@given(
    st.lists(st.sampled_from([0.0, 1.0, 1.0, 1.0, 2.0, 3.0]), min_size=1, max_size=9),
    st.integers(0, 2**9 - 1),
    st.sampled_from([0.25, 0.5, 0.7]),
)
def test_split_tail_is_that_of_all_colourings(weights: list[float], colours: int, gamma: float) -> None:
    green = [bool(colours >> n & 1) for n in range(len(weights))]
    found = split_tail_probability(np.array(green), np.array(weights), gamma)
    assert found == pytest.approx(split_tail_by_enumeration(green, weights, gamma), rel=1e-9)


@pytest.mark.deep(keep=["0", "1", "2", "3", "4", "5", "6", "7"])
@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 60))]
)
def test_the_two_ways_to_a_tie_are_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lattice = rng.integers(1, [3, 5, 60][seed % 3], rng.integers(3, 25))
    values, counts = np.unique(lattice, return_counts=True)
    if np.prod(counts + 1.0) > 1e5:
        values, counts = values[:3], counts[:3]
    total, gamma = int(values @ counts), [0.25, 0.5, 0.8][seed // 3 % 3]
    for observed in {1, total, *rng.integers(1, total + 1, 20).tolist()}:
        tie = convolved_tie(values, counts, observed, gamma)
        assert listed_tie(values, counts, observed, gamma) == pytest.approx(tie, rel=1e-10, abs=0)
        tails = [convolved_tail(values, counts, s, gamma) for s in (observed, observed + 1)]
        assert sum(tie) == pytest.approx(tails[0], rel=1e-11, abs=0)
        assert tie[0] == pytest.approx(tails[1], rel=1e-11, abs=0)


@fixed
@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.25, 1.0]))
def test_split_p_lies_between_its_step_and_the_next(count: int, seed: int, exponent: float) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.geometric(0.8, count) ** exponent
    green = rng.random(count) < 0.6
    whole, split = (p(green, weights, 0.5) for p in (tail_probability, split_tail_probability))
    assert split <= whole * (1 + 1e-9)
    red = np.flatnonzero(~green)
    if len(red):
        green[red[np.argmin(weights[red])]] = True
        assert split >= tail_probability(green, weights, 0.5) * (1 - 1e-9)


def test_the_size_of_a_short_text_is_nominal() -> None:
    """24 coins of one weight: whole steps leave .0033 of a nominal .01, split ones nearly all of it."""
    count, level = 24, 0.01
    whole = max(t for t in stats.binom.sf(np.arange(-1, count), count, 0.5) if t <= level)
    assert whole < 0.0034
    pmf = stats.binom.pmf(np.arange(count + 1), count, 0.5)
    size, grid = 0.0, np.random.default_rng(0)
    # The arrangements of a count are as likely: a sample of them for each.
    for green, chance in enumerate(pmf):
        p = []
        for _ in range(400 if 0.003 < stats.binom.sf(green - 1, count, 0.5) < 0.05 else 1):
            colours = grid.permutation(np.arange(count) < green)
            p.append(split_tail_probability(colours, np.ones(count), 0.5))
        size += chance * float(np.mean(np.array(p) <= level))
    assert size == pytest.approx(level, abs=6e-4)
    assert size <= level + 6e-4


@pytest.mark.parametrize("gamma", [0.25, 0.5])
def test_split_p_is_uniform_over_random_colours(gamma: float) -> None:
    rng = np.random.default_rng(7)
    weights = rng.geometric(0.7, 40) ** 0.25
    p = [split_tail_probability(rng.random(40) < gamma, weights, gamma) for _ in range(700)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_many_values_and_long_texts_give_no_warning() -> None:
    rng = np.random.default_rng(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for count in (2000, 20_000):
            weights, green = rng.random(count), rng.random(count) < 0.52
            split, whole = (p(green, weights, 0.5) for p in (split_tail_probability, tail_probability))
            assert split == pytest.approx(whole, rel=1e-2)
