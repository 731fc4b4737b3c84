"""The compiled costs against the paper's definitions, written down slowly."""

from __future__ import annotations

from functools import cache
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_exp.compiled import exponential_costs, least_alignment, least_edit
from stela_testing.colours import mix_reference

Costs = list[list[float]]
"""Of each token of a text at each place of the key sequence."""


def aligned(costs: Costs, i: int, j: int, k: int) -> float:
    """d of k tokens from i on and k places from j on: a plain sum."""
    n = len(costs[0])
    return sum(costs[i + step][(j + step) % n] for step in range(k))


def edited(costs: Costs, i: int, j: int, k: int, gamma: float) -> float:
    """The simple Levenshtein cost of k tokens from i on and k places from j on, by its recursion."""
    n = len(costs[0])

    @cache
    def cost(tokens: int, places: int) -> float:
        if tokens == k or places == k:
            return gamma * (2 * k - tokens - places)
        return min(
            cost(tokens + 1, places + 1) + costs[i + tokens][(j + places) % n],
            cost(tokens + 1, places) + gamma,
            cost(tokens, places + 1) + gamma,
        )

    return cost(0, 0)


@st.composite
def texts(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Costs of distinct tokens, the row of each token of a text, and the size of a block."""
    m, n, tokens = draw(st.integers(1, 4)), draw(st.integers(1, 6)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    costs = (rng.random((m, n)) * 2 - draw(st.sampled_from([0.0, 1.0, 2.0]))).astype(np.float32)
    return costs, rng.integers(0, m, tokens), draw(st.integers(1, tokens))


@given(texts())
def test_least_alignment_is_algorithm_3(text: tuple[np.ndarray, np.ndarray, int]) -> None:
    costs, rows, k = text
    slow = costs[rows].tolist()
    expected = min(aligned(slow, i, j, k) for i in range(len(rows) - k + 1) for j in range(costs.shape[1]))
    assert least_alignment(costs, rows, k) == pytest.approx(expected, abs=1e-5)


@given(texts(), st.sampled_from([0.0, 0.4, 1.0]), st.integers(1, 3))
def test_least_edit_is_algorithm_3(
    text: tuple[np.ndarray, np.ndarray, int], gamma: float, stride: int
) -> None:
    costs, rows, k = text
    slow = costs[rows].tolist()
    last = len(rows) - k
    starts = {*range(0, last, stride), last}
    expected = min(edited(slow, i, j, k, gamma) for i in starts for j in range(costs.shape[1]))
    assert least_edit(costs, rows, k, stride, gamma) == pytest.approx(expected, abs=1e-5)


def test_edits_at_no_cost_are_never_worse_than_none() -> None:
    rng = np.random.default_rng(1)
    costs = -rng.exponential(size=(5, 16)).astype(np.float32)
    rows = rng.integers(0, 5, 40)
    assert least_edit(costs, rows, 40, 1, 0.0) <= least_alignment(costs, rows, 40)
    # Nothing is worth an edit that costs more than all tokens together.
    assert least_edit(costs, rows, 40, 1, 1e4) == pytest.approx(least_alignment(costs, rows, 40), rel=1e-5)


def test_exponential_costs_are_those_of_the_core_s_numbers() -> None:
    rng = np.random.default_rng(2)
    seeds = rng.integers(0, 2**64, 7, dtype=np.uint64)
    tokens = np.array([0, 1, 50_000, 151_935])
    expected = [[log(1 - mix_reference(int(seed), int(token)) / 2**32) for seed in seeds] for token in tokens]
    assert exponential_costs(seeds, tokens) == pytest.approx(np.array(expected), rel=1e-6)
