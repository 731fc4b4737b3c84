"""Expected z and costs against all colourings and all texts of a small vocabulary, token by token."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_analysis.green_costs import Sums, gain_at_equal_cost, green_ratio, surprisal_rise

import stela_core as stela
from stela_core.statistics.p_value import z_score

COLOURINGS = np.array(list(product([0.0, 1.0], repeat=6)))[1:-1]
"""Of six tokens, some green and some red, (62, 6)."""

logits = st.lists(st.floats(-5, 3), min_size=6, max_size=6)


def softmax(row: np.ndarray) -> np.ndarray:
    return np.exp(row) / np.exp(row).sum()


@given(logits, st.floats(0, 4), st.sampled_from([1.0, 0.7]))
def test_a_bias_on_green_logits(row: list[float], delta: float, temperature: float) -> None:
    """Added to the logits before the temperature, for each colouring by itself."""
    p = softmax(np.array(row) / temperature)
    marked = np.array([softmax((np.array(row) + delta * green) / temperature) for green in COLOURINGS])
    mass = (COLOURINGS @ p)[None]
    after = green_ratio(mass, delta / temperature)
    assert after[0] == pytest.approx((marked * COLOURINGS).sum(axis=1))
    surprisal = -p * np.log(p)
    rise = surprisal_rise(mass, after, (COLOURINGS @ surprisal)[None], surprisal.sum(keepdims=True)[None])
    assert rise[0] == pytest.approx(marked @ -np.log(p) - surprisal.sum(), abs=1e-9)


@pytest.mark.parametrize("form", ["exp", "linear", "log"])
def test_the_bias_of_morphmark_moves_its_share_of_the_red(form: str, registry: stela.Registry) -> None:
    """``P + r (1 - P)`` of Wang et al. (ACL 2025), whatever the green probability P."""
    kind: Any = registry.get(stela.Weighting, "morphmark")
    mass = np.linspace(0.01, 0.99, 99)
    weighting = kind(kind.Parameters(form=form, k=1.3), None)
    bias = weighting.weights(stela.Positions(99, green_mass=mass))
    share = {"exp": np.exp(1.3 * mass) - 1, "linear": 1.3 * mass, "log": np.log(1.3 * mass + 1)}[form]
    share = np.where(mass < 0.15, 0, np.minimum(share, 1))
    assert green_ratio(mass, bias) == pytest.approx(mass + share * (1 - mass), abs=1e-6)


def test_expected_z_is_the_mean_over_all_texts() -> None:
    """Of three tokens, each green or red: eight texts, with their probabilities and their z."""
    green, weights = np.array([0.6, 0.8, 0.55]), np.array([0.5, 1.0, 2.0])
    expected = 0.0
    for text in product([False, True], repeat=3):
        probability = np.where(text, green, 1 - green).prod()
        expected += probability * z_score(np.array(text), weights, 0.5)
    sums = Sums(1)
    sums.add(0, green[:2] - 0.5, weights[:2], np.array([0.3, 0.5]))
    sums.add(0, green[2:] - 0.5, weights[2:], np.array([0.1]))
    assert sums.z[0] == pytest.approx(expected * np.sqrt(100 / 3))
    assert sums.surprisal[0] == pytest.approx(0.3)


def test_the_gain_is_over_the_strength_that_costs_as_much() -> None:
    """KGW on a grid, and a mark that is 1.1 times it at a cost between two of its deltas."""
    deltas = np.arange(0.5, 4.01, 0.25)
    costs, zs = np.outer(deltas**2, [0.05, 0.06]), np.outer(deltas, [3.0, 2.8])
    place = 5
    cost = (costs[place] + costs[place + 1]) / 2
    own = 1.1 * (zs[place] + zs[place + 1]) / 2
    assert gain_at_equal_cost(own, cost, zs, costs) == pytest.approx([0.1, 0.1])
    assert gain_at_equal_cost(zs[place], costs[place], zs, costs) == pytest.approx([0, 0])
