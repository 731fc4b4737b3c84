"""Couplings against a general optimiser, and their marginals for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from stela_textgrain.transport import couplings, divergences


@pytest.mark.parametrize("seed", range(5))
def test_no_other_coupling_within_the_budget_scores_more(seed: int) -> None:
    """SciPy's SLSQP, from the independent coupling, on the size of the report's example."""
    rng = np.random.default_rng(seed)
    rho, scores, budget = rng.dirichlet(np.ones(3)), rng.gumbel(size=(3, 4)), 0.15
    independent = np.outer(rho, np.full(4, 0.25)).ravel()

    def divergence(flat: np.ndarray) -> float:
        return float(np.sum(flat * np.log(np.maximum(flat, 1e-12) / independent)))

    sums = np.array([[i == row for i in range(3) for _ in range(4)] for row in range(3)], dtype=float)
    across = np.array([[j == column for _ in range(3) for j in range(4)] for column in range(4)], dtype=float)
    best = minimize(
        lambda flat: -float(flat @ scores.ravel()),
        independent,
        bounds=[(1e-9, 1)] * 12,
        constraints=[
            {"type": "eq", "fun": lambda flat: sums @ flat - rho},
            {"type": "eq", "fun": lambda flat: (across @ flat - 0.25)[:-1]},
            {"type": "ineq", "fun": lambda flat: budget - divergence(flat)},
        ],
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert best.success
    standard = (scores - scores.mean()) / scores.std()
    ours = couplings(rho[None], standard[None], np.array([budget]))[0]
    assert divergences(ours[None], rho[None])[0] <= budget + 1e-12
    gain = float((ours * scores).sum() - independent @ scores.ravel())
    # The halving leaves up to 1 % of the interval below the budget.
    assert gain >= 0.97 * (-best.fun - independent @ scores.ravel())


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda masses: sum(masses) > 1e-3),
    st.integers(2, 12),
    st.floats(0, 5),
    st.integers(0, 2**32 - 1),
)
def test_marginals_are_right_and_the_budget_holds(
    masses: list[float], columns: int, budget: float, seed: int
) -> None:
    rho = np.array([masses]) / sum(masses)
    scores = np.random.default_rng(seed).gumbel(size=(1, len(masses), columns)) / 1.28
    pi = couplings(rho, scores, np.array([budget]))
    assert (pi >= 0).all()
    assert np.abs(pi.sum(axis=2) - rho).max() < 1e-12
    assert np.abs(pi.sum(axis=1) - 1 / columns).max() < 1e-12
    assert divergences(pi, rho)[0] <= budget + 1e-12
