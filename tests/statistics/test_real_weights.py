"""p-values for the weights that schemes really give, over every colouring there is: nothing is sampled."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import numpy.typing as npt
import pytest

from stela_core.statistics.p_value import tail_probability
from tests.oracles import tail_by_enumeration

# Spike entropies (module of Kirchenbauer et al.'s equation 2) less their minimum: the least is exactly 0.
EWD = [0.0, 3.1e-7, 0.0214, 0.2671, 0.2672, 0.3198, 0.4415, 0.0913, 0.1777]
WEIGHTS = {
    "kgw, repeated pairs": [1, 1, 3, 1, 2, 1, 1, 5, 1],
    "sweet: 0 and 1": [0, 1, 1, 0, 0, 1, 1, 1, 0],
    "sweet, repeated pairs": [0, 2, 1, 0, 4, 1, 1, 0, 1],
    "ewd: one weight 0, one nearly": EWD,
    "stela: lambda, some 0": [0.0, 0.6182, 0.4413, 0.0, 0.7719, 0.6182, 0.9021, 0.2210, 1.3],
    "all 0 but one": [0, 0, 0, 0.37, 0, 0, 0, 0, 0],
    "one far above the rest": [1e6, 1, 1, 1, 1, 1, 1, 1, 1],
    "far apart": [1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1.0, 1.0, 1.0, 1.0],
    "smallest and largest floats": [5e-324, 1e-310, 1e-300, 1.0, 1e300, 1e300, 9e299, 1e300, 0.0],
    "ties within rounding": [0.1, 0.1, 0.1, 0.30000000000000004, 0.3, 0.2, 0.2, 0.2, 0.1],
}


def every_colouring(count: int, gamma: float) -> list[tuple[npt.NDArray[np.bool_], float]]:
    return [
        (np.array(coins, dtype=np.bool_), gamma ** sum(coins) * (1 - gamma) ** (count - sum(coins)))
        for coins in itertools.product((0, 1), repeat=count)
    ]


@pytest.mark.parametrize("gamma", [0.25, pytest.param(0.5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", WEIGHTS)
def test_p_is_valid_at_every_level(name: str, gamma: float) -> None:
    """P(p <= a) <= a for every a that p can take, and so for all."""
    weights = np.array(WEIGHTS[name], dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [(tail_probability(c, weights, gamma), q) for c, q in every_colouring(len(weights), gamma)]
    reached = 0.0
    ordered = sorted(found)
    for index, (p, probability) in enumerate(ordered):
        reached += probability
        if index + 1 == len(ordered) or ordered[index + 1][0] > p:
            assert reached <= p * (1 + 1e-9)
    assert math.isclose(reached, 1.0, rel_tol=1e-9)


@pytest.mark.parametrize("name", ["kgw, repeated pairs", "sweet: 0 and 1", "sweet, repeated pairs"])
def test_whole_weights_are_exact(name: str) -> None:
    weights = WEIGHTS[name]
    for colours, _ in every_colouring(len(weights), 0.25)[::7]:
        observed = sum(w for w, green in zip(weights, colours, strict=True) if green)
        wanted = tail_by_enumeration(weights, observed, 0.25)
        assert tail_probability(colours, np.array(weights, dtype=float), 0.25) == pytest.approx(
            wanted, rel=1e-9
        )


def test_real_weights_are_exact_up_to_the_unit_of_their_lattice() -> None:
    """Rounding moves a sum of 9 weights by at most 9 / 8192 of the largest: p lies between the two ends."""
    slack = len(EWD) * max(EWD) / 8192
    for colours, _ in every_colouring(len(EWD), 0.5)[::5]:
        observed = sum(w for w, green in zip(EWD, colours, strict=True) if green)
        found = tail_probability(colours, np.array(EWD), 0.5)
        low, high = (tail_by_enumeration(EWD, observed + side * 2 * slack, 0.5) for side in (1, -1))
        assert low * (1 - 1e-9) <= found <= high * (1 + 1e-9)


def test_a_weight_of_0_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    weights, green = rng.random(60), rng.random(60) < 0.6
    more, colours = np.append(weights, [0.0, 0.0]), np.append(green, [True, False])
    assert tail_probability(colours, more, 0.5) == tail_probability(green, weights, 0.5)
