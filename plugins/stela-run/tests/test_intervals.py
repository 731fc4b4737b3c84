from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from stela_run.intervals import mean_value
from stela_run.metric import Value

from stela_core.errors import StelaError
from tests.tiers import examples


def test_interval_is_about_students() -> None:
    """For 400 normal numbers the ends are those of the t interval, up to the noise of 2,000 resamples."""
    values = np.random.default_rng(0).normal(5, 2, 400)
    found = mean_value("x", values.tolist(), seed=1)
    low, high = t.interval(0.95, 399, loc=values.mean(), scale=values.std(ddof=1) / 20)
    assert found.name == "x"
    assert found.n == 400
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_same_seed_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=20).tolist()
    assert mean_value("x", values, 3) == mean_value("x", values, 3)
    assert mean_value("x", values, 3) != mean_value("x", values, 4)


@examples(30)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_interval_lies_within_the_values(values: list[float]) -> None:
    found = mean_value("x", values, 0)
    assert found.low is not None
    assert found.high is not None
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack


def test_what_has_no_spread() -> None:
    assert mean_value("x", [2.5], 0) == Value("x", 2.5, n=1)
    assert mean_value("x", [0.1, 0.1, 0.1], 0) == Value("x", 0.1, 0.1, 0.1, 3)


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_mistakes(values: list[float]) -> None:
    with pytest.raises(StelaError):
        mean_value("x", values, 0)
