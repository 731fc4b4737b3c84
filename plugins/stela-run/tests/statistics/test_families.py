"""Holm's adjustment against the closed testing it stands for; p-values of the bootstrap against Student's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp
from stela_run.statistics.bootstrap import drawn_counts
from stela_run.statistics.families import bootstrap_p, holm

from tests.tiers import examples


def closed(p_values: list[float]) -> list[float]:
    """By closed testing: a hypothesis' p is the largest Bonferroni p of any set that it is in."""
    places = range(len(p_values))
    sets = [of for n in range(1, len(p_values) + 1) for of in combinations(places, n)]
    return [
        max(min(1.0, len(of) * min(p_values[i] for i in of)) for of in sets if place in of)
        for place in places
    ]


@examples(60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_closed_bonferroni(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(closed(p_values), abs=1e-12)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_is_stricter_than_false_discovery(p_values: list[float]) -> None:
    """It controls any mistake, not the share of mistakes (SciPy's Benjamini and Hochberg)."""
    adjusted = np.array(holm(p_values))
    assert (adjusted >= np.array(p_values)).all()
    if p_values:
        assert (adjusted >= false_discovery_control(p_values) - 1e-12).all()


@pytest.mark.parametrize(
    "shift", [0.0, 0.15, *(pytest.param(shift, marks=pytest.mark.slow) for shift in (-0.3, 0.6))]
)
def test_bootstrap_p_is_about_students(shift: float) -> None:
    values = np.random.default_rng(1).normal(size=150)
    values += shift - values.mean()
    means = drawn_counts(150, 20_000, 0) @ values / 150
    expected = ttest_1samp(values, 0).pvalue
    assert bootstrap_p(means) == pytest.approx(expected, abs=max(2e-4, 0.15 * expected))


def test_bootstrap_p_is_never_zero() -> None:
    assert bootstrap_p(np.ones(999)) == pytest.approx(2 / 1000)
    assert bootstrap_p(np.zeros(9)) == 1.0
    assert bootstrap_p(np.full(9, np.nan)) == 1.0
