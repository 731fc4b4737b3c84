"""Reweighted distributions against the papers' formulas, written down slowly, and their mean over orders."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_unbiased.reweight import Reweighting, dip_reweighting, gamma_reweighting

Array = np.ndarray[Any, np.dtype[Any]]


def gamma_slow(p: Array, order: list[int], gamma: float) -> list[float]:
    """Hu et al.: F(s) = (1 - gamma) s up to 1/2, from there -gamma + (1 + gamma) s; a token gets the rise."""
    return rises(p, order, lambda s: (1 - gamma) * s if s <= 0.5 else -gamma + (1 + gamma) * s)


def dip_slow(p: Array, order: list[int], alpha: float) -> list[float]:
    """Wu et al.: F(s) = max(s - alpha, 0) + max(s - (1 - alpha), 0); a token gets the rise."""
    return rises(p, order, lambda s: max(s - alpha, 0) + max(s - (1 - alpha), 0))


def rises(p: Array, order: list[int], f: Callable[[float], float]) -> list[float]:
    out, total = [0.0] * len(p), 0.0
    for token in order:
        out[token] = f(total + float(p[token])) - f(total)
        total += float(p[token])
    return out


@st.composite
def rows(draw: st.DrawFn) -> tuple[Array, Array]:
    """Probabilities and numbers of a vocabulary; some probabilities are 0, some equal, one large."""
    size = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    p = rng.dirichlet(np.full(size, draw(st.sampled_from([0.05, 1.0, 50.0]))))
    if size > 3 and draw(st.booleans()):
        p[rng.integers(size)] = 0.0
        p /= p.sum()
    apart = draw(st.sampled_from([1 << 26, 1 << 14, 1]))  # all over, in a few buckets, in one
    return p, rng.permutation(64)[:size].astype(np.int64) * apart


def factored(how: Reweighting, p: Array, numbers: Array) -> Array:
    factors = how.factors(torch.from_numpy(p), torch.from_numpy(numbers.astype(np.int64)))
    return np.asarray(p * factors.numpy())


@given(rows(), st.floats(0.01, 1))
def test_gamma_reweight_is_the_paper_s(row: tuple[Array, Array], gamma: float) -> None:
    p, numbers = row
    slow = gamma_slow(p, np.argsort(numbers).tolist(), gamma)
    assert factored(gamma_reweighting(gamma), p, numbers) == pytest.approx(np.array(slow), abs=1e-12)


@given(rows(), st.floats(0.001, 0.5))
def test_dip_reweight_is_the_paper_s(row: tuple[Array, Array], alpha: float) -> None:
    p, numbers = row
    slow = dip_slow(p, np.argsort(numbers).tolist(), alpha)
    assert factored(dip_reweighting(alpha), p, numbers) == pytest.approx(np.array(slow), abs=1e-12)


@pytest.mark.parametrize(
    "how", [gamma_reweighting(1.0), gamma_reweighting(0.3), dip_reweighting(0.45), dip_reweighting(0.2)]
)
def test_the_mean_over_all_orders_is_the_model_s(how: Reweighting) -> None:
    """Unbiased: exactly, over each of the 120 orders of five tokens."""
    p = np.array([0.4, 0.3, 0.2, 0.07, 0.03])
    orders = [np.array(order) for order in permutations(range(5))]
    mean = np.mean([factored(how, p, order) for order in orders], axis=0)
    assert mean == pytest.approx(p, abs=1e-12)


def test_dip_at_a_half_is_gamma_at_one() -> None:
    rng = np.random.default_rng(0)
    p, numbers = rng.dirichlet(np.ones(50)), rng.integers(0, 2**32, 50)
    expected = factored(gamma_reweighting(1.0), p, numbers)
    assert factored(dip_reweighting(0.5), p, numbers) == pytest.approx(expected, abs=1e-12)
