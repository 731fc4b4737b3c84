"""Bits that are not independent: the tail at a smaller excess, and at none the plain one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from stela_synthid.layered_bits import LayeredBits
from stela_synthid.wide_bits import WideBits

LAYERS = {"mean": (1 / 30,) * 30, "weighted": tuple((np.linspace(10, 1, 30) / 165).tolist())}


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("gamma", [0.25, 0.5])
def test_without_width_it_is_the_plain_law(layers: str, gamma: float) -> None:
    rng, parts = np.random.default_rng(0), LAYERS[layers]
    wide, plain = WideBits(gamma, parts), LayeredBits(gamma, parts)
    for rate in (0.0, gamma, gamma + 0.05, 0.9, 1.0):
        draws, weights = (rng.random((40, 30)) < rate).astype(float), rng.gamma(0.7, size=40)
        assert wide.p_value(draws, weights, False) == pytest.approx(
            plain.p_value(draws, weights, False), rel=1e-9
        )
        assert wide.least_p(weights) == pytest.approx(plain.least_p(weights), rel=1e-9)


def test_an_excess_counts_for_less() -> None:
    """Of equal weights: the binomial tail at the mean and ``1 / sqrt(spread)`` of the excess."""
    law = WideBits(0.5, LAYERS["mean"], 1.25)
    for ones in (0, 500, 600, 620, 700, 1200):
        draws = (np.arange(1200) < ones).astype(float).reshape(40, 30)
        least = math.floor(600 + (ones - 600) / math.sqrt(1.25)) if ones > 600 else ones
        wanted = stats.binom.sf(least - 1, 1200, 0.5)
        assert law.p_value(draws, np.ones(40), False) == pytest.approx(wanted, rel=1e-9)


def test_it_never_grows_with_a_bit_and_is_one_without_weight() -> None:
    law = WideBits(0.5, LAYERS["weighted"], 1.25)
    draws, before = np.zeros((6, 30)), 1.0
    for place in np.random.default_rng(1).permutation(180):
        draws.flat[place] = 1.0
        p_value = law.p_value(draws, np.ones(6), False)
        assert p_value <= before * (1 + 1e-12)
        before = p_value
    assert before == law.least_p(np.ones(6))
    assert law.p_value(draws, np.zeros(6), False) == 1.0
