"""The strengths of largest expected z at a cost, against all there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.gains.optimum import Curves, best_strengths

from tests.tiers import examples


def curves_of(seed: int, classes: int = 4, strengths: int = 6) -> Curves:
    """Of random curves: rises that saturate, costs that grow faster."""
    draw = np.random.default_rng(seed)
    at = np.concatenate([[0.0], np.sort(draw.uniform(0.1, 4, strengths - 1))])
    rise = draw.uniform(0.05, 0.5, (classes, 1)) * (1 - np.exp(-draw.uniform(0.1, 3, (classes, 1)) * at))
    cost = draw.uniform(0.01, 1, (classes, 1)) * at ** draw.uniform(1, 2.5, (classes, 1))
    shares = draw.dirichlet(np.ones(classes))
    return Curves(at, rise, cost, shares)


def squared(curves: Curves, chosen: tuple[int, ...]) -> float:
    rows = np.arange(len(chosen))
    return float((curves.shares * curves.rise[rows, np.array(chosen)] ** 2).sum())


@given(st.integers(0, 10**6), st.floats(0.001, 2))
@examples(300)
def test_no_other_strengths_of_that_cost_leave_more(seed: int, cost: float) -> None:
    """Against all 1,296 ways to give four classes one of six strengths each."""
    curves = curves_of(seed)
    best = tuple(best_strengths(curves, cost).tolist())
    spent = curves.cost_of(np.array(best))
    assert spent <= cost
    others = [
        squared(curves, other)
        for other in product(range(6), repeat=4)
        if curves.cost_of(np.array(other)) <= spent
    ]
    assert squared(curves, best) >= max(others) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_asked_for_is_spent(seed: int) -> None:
    """With many classes there is one that fits what is left, and more asked for leaves more."""
    curves = curves_of(seed, 200, 40)._replace(shares=np.full(200, 1 / 200))
    before = -1.0
    for asked in (0.03, 0.1, 0.3):
        best = best_strengths(curves, asked)
        assert 0.97 * asked <= curves.cost_of(best) <= asked
        assert squared(curves, tuple(best.tolist())) > before
        before = squared(curves, tuple(best.tolist()))


def test_weights_that_are_gains_leave_most() -> None:
    """Cauchy and Schwarz: any other weights of these strengths have a smaller expected z."""
    curves = curves_of(5)
    gains = curves.rise[np.arange(4), best_strengths(curves, 0.2)]

    def z(weights: np.ndarray) -> float:
        return float((curves.shares * weights * gains).sum() / np.sqrt((curves.shares * weights**2).sum()))

    draw = np.random.default_rng(1)
    assert all(z(gains) >= z(draw.uniform(0, 1, 4)) for _ in range(200))


def test_one_class_is_kgw() -> None:
    """All have one strength: that whose cost is asked for, and what lies between is not more than that."""
    curves = curves_of(1, classes=1)
    for number, strength in enumerate(curves.strengths.tolist()):
        assert curves.cost_of_all(strength) == pytest.approx(curves.cost[0, number])
    assert best_strengths(curves, curves.cost_of_all(99)).tolist() == [5]
    assert best_strengths(curves, 0).tolist() == [0]
