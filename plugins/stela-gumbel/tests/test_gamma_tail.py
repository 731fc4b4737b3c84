from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaincc
from stela_gumbel.gamma_tail import log_tail, whole_log_tail

from tests.tiers import examples

SHAPES = st.one_of(st.integers(1, 400).map(float), st.floats(0.05, 400))


@examples(300)
@given(SHAPES, st.floats(0.001, 4))
def test_equals_scipy(shape: float, ratio: float) -> None:
    x = shape * ratio
    expected = gammaincc(shape, x)
    if expected > 1e-290:
        assert math.exp(log_tail(shape, x)) == pytest.approx(expected, rel=1e-10)
    else:
        assert log_tail(shape, x) < math.log(1e-289)


@pytest.mark.parametrize(("shape", "x"), [(200.0, 900.0), (243.9, 2000.0), (50, 1500.0)])
def test_logarithm_goes_on_where_the_tail_is_no_number(shape: float, x: float) -> None:
    """Beside the integral of the density over its value at x, by quadrature."""
    over, _ = quad(lambda s: math.exp((shape - 1) * math.log1p(s / x) - s), 0, math.inf, epsabs=0)
    expected = (shape - 1) * math.log(x) - x - math.lgamma(shape) + math.log(over)
    assert log_tail(shape, x) == pytest.approx(expected, rel=1e-10)


@examples(100)
@given(st.integers(1, 200), st.floats(0.01, 800))
def test_the_two_ways_meet_at_whole_shapes(shape: int, x: float) -> None:
    beside = log_tail(shape * (1 + 1e-13), x)
    assert whole_log_tail(shape, x) == pytest.approx(beside, rel=1e-8, abs=1e-9)


def test_ends() -> None:
    assert log_tail(3.5, 0) == 0 == whole_log_tail(3, 0) == log_tail(0, 0)
    assert log_tail(0, 1.0) == -math.inf == whole_log_tail(0, 1.0)
