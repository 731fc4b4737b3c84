"""p-values against enumeration, SciPy and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from stela_core.statistics.binomial import KEPT, binomial_pmf, known_pmf, known_upper
from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.p_value import convolved_tail, lattice_tail, tail_probability
from stela_core.statistics.tilted import log_tail
from tests.tiers import examples

fixed = settings(deadline=None, derandomize=True)
gammas = st.sampled_from([0.05, 0.25, 0.5, 0.9])
weight = st.floats(0.01, 3.0)


def enumerated(values: list[int], observed: int, gamma: float) -> float:
    """The definition: every colouring with its probability."""
    return math.fsum(
        math.prod(gamma if c else 1 - gamma for c in colours)
        for colours in itertools.product((0, 1), repeat=len(values))
        if sum(v * c for v, c in zip(values, colours, strict=True)) >= observed
    )


@fixed
@given(st.lists(st.integers(0, 9) | st.integers(1, 300), min_size=1, max_size=9), gammas, st.data())
def test_both_methods_enumerate_all_colourings(values: list[int], gamma: float, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    observed = sum(v for v, c in zip(values, chosen, strict=True) if c)
    wanted = enumerated(values, observed, gamma)
    assert lattice_tail(np.array(values), observed, gamma) == pytest.approx(wanted, rel=1e-12, abs=0)
    distinct, counts = np.unique([v for v in values if v], return_counts=True)
    if len(distinct):
        assert math.exp(log_tail(distinct, counts, observed, gamma)) == pytest.approx(wanted, rel=1e-9, abs=0)


@pytest.mark.parametrize("gamma", [0.01, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("count", [1, 7, 200, 5000])
def test_equal_weights_are_binomial(count: int, gamma: float) -> None:
    for hits in {0, 1, count // 3, count // 2, min(count, int(count * gamma) + 5), 2 * count // 3, count}:
        green = np.arange(count) < hits
        p = tail_probability(green, np.full(count, 0.37), gamma)
        assert p == pytest.approx(max(1e-300, stats.binom.sf(hits - 1, count, gamma)), rel=1e-9, abs=0)
        # SciPy's logsf underflows.
        wanted = float(special.logsumexp(stats.binom.logpmf(np.arange(hits, count + 1), count, gamma)))
        by_transform = log_tail(np.array([1]), np.array([count]), hits, gamma)
        assert by_transform == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("gamma", [0.003, 0.5, 0.97])
@pytest.mark.parametrize("count", [1, 2, 33, 20_000])
def test_binomial_pmf(count: int, gamma: float) -> None:
    pmf = binomial_pmf(count, gamma)
    wanted = stats.binom.pmf(np.arange(count + 1), count, gamma)
    large = wanted > 1e-290
    np.testing.assert_allclose(pmf[large], wanted[large], rtol=2e-9)  # SciPy's own error at 20,000
    assert (pmf[~large] < 1e-289).all()


@pytest.mark.parametrize("count", [1, 33, KEPT, KEPT + 1])
def test_what_is_kept_is_the_same_and_stays_so(count: int) -> None:
    for _ in range(2):
        pmf, upper = known_pmf(count, 0.25), known_upper(count, 0.25)
        assert pmf.tolist() == binomial_pmf(count, 0.25).tolist()
        assert upper.tolist() == [*np.cumsum(pmf[::-1])[::-1], 0.0]
    if count <= KEPT:
        for kept in (pmf, upper):
            with pytest.raises(ValueError, match="read-only"):
                kept[0] = 1.0


@pytest.mark.parametrize("seed", range(6))
def test_convolution_and_transform_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(150 + 120 * seed) * rng.choice([1, 1, 1, 5], 150 + 120 * seed)
    gamma = float(rng.choice([0.25, 0.5]))
    lattice = to_lattice(weights)
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    for rate in (gamma / 2, gamma, 0.6, 0.9, 1.0):
        observed = int(lattice[rng.random(len(lattice)) < rate].sum())
        p, log_p = convolved_tail(values, counts, observed, gamma), log_tail(values, counts, observed, gamma)
        if log_p > math.log(1e-290):
            assert log_p == pytest.approx(math.log(p), rel=0, abs=1e-9)
        else:
            assert p < 1e-289


@pytest.mark.slow
@examples(12, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.sampled_from([5, 40, 200]), gammas, st.booleans())
def test_p_values_are_valid(seed: int, count: int, gamma: float, structured: bool) -> None:
    """P(p <= a) <= a, for fixed weights and fresh colours, up to what chance allows."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 6, count) / 3 if structured else rng.gamma(0.7, size=count)
    runs = 500
    p = np.array([tail_probability(rng.random(count) < gamma, weights, gamma) for _ in range(runs)])
    for alpha in (0.5, 0.1, 0.01):
        allowed = stats.binom.isf(1e-7, runs, alpha)
        assert (p <= alpha).sum() <= allowed


@fixed
@given(st.lists(weight, min_size=1, max_size=60), gammas, st.randoms(use_true_random=False))
def test_more_green_is_never_less_evidence(weights: list[float], gamma: float, random: object) -> None:
    array = np.array(weights)
    green = np.zeros(len(weights), dtype=np.bool_)
    last = tail_probability(green, array, gamma)
    assert last == 1.0
    for index in np.random.default_rng(len(weights)).permutation(len(weights)):
        green[index] = True
        p = tail_probability(green, array, gamma)
        assert 0 < p <= last
        last = p


@fixed
@given(
    st.lists(st.tuples(weight, st.booleans()), min_size=1, max_size=60),
    gammas,
    st.floats(1e-6, 1e6),
    st.data(),
)
def test_scale_and_order_do_not_matter(
    coins: list[tuple[float, bool]], gamma: float, scale: float, data: st.DataObject
) -> None:
    def p(of: list[tuple[float, bool]], factor: float = 1.0) -> float:
        return tail_probability(np.array([c for _, c in of]), np.array([w * factor for w, _ in of]), gamma)

    assert p(coins, scale) == pytest.approx(p(coins), rel=1e-9, abs=0)
    assert p(data.draw(st.permutations(coins))) == p(coins)


@fixed
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.floats(0.001, 50))
def test_multiples_of_the_smallest_weight_stay_exact(multiples: list[int], unit: float) -> None:
    weights = np.array([1, *multiples]) * unit
    assert to_lattice(weights).tolist() == [1, *multiples]


@fixed
@given(st.integers(0, 2**32 - 1), st.integers(2, 3000))
def test_rounding_hardly_changes_the_weights(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(count) * np.minimum(rng.zipf(1.8, count), count)
    lattice = to_lattice(weights)
    cosine = float(weights @ lattice / np.sqrt((weights @ weights) * (lattice @ lattice)))
    assert cosine > 1 - 1 / 3000


def test_normal_approximation_is_roughly_right_at_the_centre() -> None:
    rng = np.random.default_rng(8)
    weights = rng.random(400) + 0.2
    for shift in (-1.0, 0.0, 1.0, 2.0):
        lattice = to_lattice(weights)
        sd = math.sqrt(0.25 * float(lattice @ lattice))
        observed = round(0.5 * lattice.sum() + shift * sd)
        assert lattice_tail(lattice, observed, 0.5) == pytest.approx(stats.norm.sf(shift), rel=0.05, abs=0)


def test_long_texts_have_a_finite_log_tail() -> None:
    rng = np.random.default_rng(9)
    lattice = to_lattice(rng.choice(rng.random(150), 50_000))
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    observed = int(lattice[rng.random(len(lattice)) < 0.6].sum())
    z = (observed - 0.5 * lattice.sum()) / math.sqrt(0.25 * float(lattice @ lattice))
    assert log_tail(values, counts, observed, 0.5) == pytest.approx(float(stats.norm.logsf(z)), rel=0.02)
    assert tail_probability(rng.random(50_000) < 0.9, lattice.astype(float), 0.5) == 1e-300


def test_no_evidence_is_one() -> None:
    nothing = np.zeros(0)
    assert tail_probability(nothing.astype(np.bool_), nothing, 0.5) == 1.0
    assert tail_probability(np.array([True, True]), np.zeros(2), 0.5) == 1.0
    assert tail_probability(np.array([False, True]), np.array([1.0, 0.0]), 0.5) == 1.0
    assert tail_probability(np.array([True, True]), np.array([1.0, 0.0]), 0.25) == 0.25
