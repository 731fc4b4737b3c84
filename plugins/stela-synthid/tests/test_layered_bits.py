"""The tail of very many weighted bits: enumeration, binomial, the full transform and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from stela_synthid.layered_bits import LayeredBits, bits_tail, least_bits_tail, log_bits_tail

import stela_core as stela
from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.p_value import convolved_tail
from stela_core.statistics.tilted import log_tail

fixed = settings(deadline=None, derandomize=True)
gammas = st.sampled_from([0.05, 0.25, 0.5, 0.9])


@fixed
@given(st.lists(st.integers(1, 9) | st.integers(1, 300), min_size=1, max_size=9), gammas, st.data())
def test_enumerates_all_bits(values: list[int], gamma: float, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    observed = sum(v for v, c in zip(values, chosen, strict=True) if c)
    wanted = math.fsum(
        math.prod(gamma if c else 1 - gamma for c in bits)
        for bits in itertools.product((0, 1), repeat=len(values))
        if sum(v * c for v, c in zip(values, bits, strict=True)) >= observed
    )
    distinct, counts = np.unique(values, return_counts=True)
    assert math.exp(log_bits_tail(distinct, counts, observed, gamma)) == pytest.approx(
        wanted, rel=1e-9, abs=0
    )


@pytest.mark.parametrize("layers", [np.ones(30), np.linspace(10, 1, 30)], ids=["mean", "weighted"])
@pytest.mark.parametrize("seed", range(4))
def test_full_transform_and_convolution_agree(layers: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens = rng.gamma(0.7, size=(5, 20, 60, 150)[seed])
    weights = np.multiply.outer(tokens, layers).ravel()
    lattice = to_lattice(weights, units=1)
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    for rate in (0.2, 0.5, 0.52, 0.6, 0.8, 0.99):
        bits = rng.random(len(weights)) < rate
        observed = int(lattice @ bits)
        log_p = log_bits_tail(values, counts, observed, 0.5)
        assert log_p == pytest.approx(log_tail(values, counts, observed, 0.5), rel=1e-12, abs=1e-9)
        if len(tokens) <= 20 and log_p > math.log(1e-280):
            p = convolved_tail(values, counts, observed, 0.5)
            assert bits_tail(bits, weights) == pytest.approx(p, rel=1e-9, abs=0)


def test_equal_weights_are_binomial() -> None:
    for ones in (0, 2800, 3000, 3100, 3500, 4500):
        bits = np.arange(6000) < ones
        wanted = max(1e-300, float(stats.binom.sf(ones - 1, 6000, 0.5)))
        assert bits_tail(bits, np.full(6000, 0.3 / 30)) == pytest.approx(wanted, rel=1e-9, abs=0)
        # The least of all arrangements, and so below the whole step.
        assert bits_tail(bits, np.full(6000, 0.3), split=True) <= wanted


def test_a_lattice_with_revivals() -> None:
    # All weights even but one: the transform is as high at half the circle as at 0, but for a factor.
    values, counts = np.array([2, 4, 7]), np.array([3000, 3000, 1])
    for observed in (9000, 9300, 9301, 10_001):
        wanted = log_tail(values, counts, observed, 0.5)
        assert log_bits_tail(values, counts, observed, 0.5) == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@fixed
@given(st.integers(0, 2**32 - 1))
def test_another_one_never_raises_p(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 400))
    weights, bits = rng.gamma(0.7, size=count), rng.random(count) < rng.choice([0.5, 0.7])
    before = bits_tail(bits, weights)
    bits[rng.integers(count)] = True
    assert bits_tail(bits, weights) <= before * (1 + 1e-9)


@pytest.mark.parametrize("weights", [(1, 1, 1, 1, 1, 1, 1, 1), (8, 5, 3, 2, 1, 1, 0.7, 0.1)])
@pytest.mark.parametrize("split", [True, False])
def test_no_level_is_exceeded(weights: tuple[float, ...], split: bool) -> None:
    all_bits = itertools.product((False, True), repeat=len(weights))
    p = np.sort([bits_tail(np.array(bits), np.array(weights), split=split) for bits in all_bits])
    assert (p >= np.arange(1, len(p) + 1) / len(p) * (1 - 1e-12)).all()


def test_p_values_are_uniform() -> None:
    rng = np.random.default_rng(3)
    weights = np.multiply.outer(rng.gamma(0.7, size=40), np.linspace(10, 1, 30)).ravel()
    p = [bits_tail(rng.random(len(weights)) < 0.5, weights) for _ in range(800)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_no_weight_no_evidence() -> None:
    assert bits_tail(np.zeros(0, dtype=np.bool_), np.zeros(0)) == 1.0
    assert bits_tail(np.ones(3, dtype=np.bool_), np.zeros(3)) == 1.0


@pytest.mark.parametrize("split", [True, False])
def test_law_has_this_tail_and_the_cores_where_a_token_has_one_bit(split: bool) -> None:
    rng = np.random.default_rng(2)
    weights, draws = rng.gamma(0.7, size=300), (rng.random(300) < 0.6) * 1.0
    law = LayeredBits(0.4996, (0.5, 0.3, 0.2))
    assert law.tail(draws, weights, split) == bits_tail(draws > 0, weights, 0.4996, split)
    assert law.least_tail(weights) == least_bits_tail(weights, 0.4996)
    one, core = LayeredBits(0.4996), stela.Bernoulli(0.4996)
    assert one.tail(draws, weights, split) == core.tail(draws, weights, split)
    assert one.least_tail(weights) == core.least_tail(weights)


def test_the_cores_own_tail_of_bits_is_nearly_the_same() -> None:
    """It is what a mark that knows no tail of its own has: by a finer lattice, and slower."""
    rng = np.random.default_rng(4)
    weights = np.multiply.outer(rng.gamma(0.7, size=60), np.linspace(10, 1, 30)).ravel()
    law, core = LayeredBits(0.5, (0.5, 0.5)), stela.Bernoulli(0.5, (0.5, 0.5))
    for rate in (0.5, 0.53, 0.6):
        bits = (rng.random(len(weights)) < rate) * 1.0
        p, of_core = law.tail(bits, weights, False), core.tail(bits, weights, False)
        assert np.log(p) == pytest.approx(np.log(of_core), rel=0.02, abs=0.02)
