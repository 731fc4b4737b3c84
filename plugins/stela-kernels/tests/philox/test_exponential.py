"""The tail of weighted exponentials against closed forms, quadrature, enumeration and simulation."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats
from stela_kernels.philox.exponential import exponential_tail, log_exponential_tail, log_hypoexponential_tail
from stela_kernels.philox.few_values import quantize
from stela_kernels.philox.gamma_tail import log_gamma_tail

from tests.tiers import examples

fixed = settings(deadline=None, derandomize=True)
DEPTHS = (0.999999, 0.99, 0.6, 0.4, 0.1, 1e-3, 1e-9, 1e-40, 1e-200, 1e-290)
levels = st.floats(-0.99, 3) | st.floats(0, 300)


def partial_fractions(means: list[float], observed: float) -> float:
    """``log P(sum >= s)``, different means: ``sum exp(-s / a_i) prod a_i / (a_i - a_j)``, of many digits."""
    with localcontext() as context:
        context.prec = 80 + 25 * len(means)
        exact, s = [Decimal(a) for a in means], Decimal(observed)
        total = sum(
            math.prod((a / (a - b) for b in exact if b != a), start=Decimal(1)) * (-s / a).exp()
            for a in exact
        )
        return float(Decimal(total).ln())


def gamma_mixture(means: list[float], counts: list[int], observed: float) -> float:
    """``P(sum >= s)`` as a mixture of Gammas of the smallest mean (Moschopoulos 1985), all terms positive."""
    least = min(means)
    scale = math.prod((least / a) ** n for a, n in zip(means, counts, strict=True))
    powers, many = np.array([1 - least / a for a in means]), np.array(counts)
    terms = 3000
    weights, moments = np.zeros(terms), many @ powers[:, None] ** np.arange(1, terms)
    weights[0] = 1.0
    for k in range(1, terms):
        weights[k] = moments[:k] @ weights[k - 1 :: -1][:k] / k
    tails = special.gammaincc(sum(counts) + np.arange(terms), observed / least)
    assert weights[-1] * scale < 1e-30
    return math.fsum(scale * weights * tails)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 200, 100_000])
def test_equal_weights_are_gamma(count: int) -> None:
    for depth in DEPTHS:
        x = float(stats.gamma.isf(depth, count))
        wanted = float(stats.gamma.sf(x, count))
        assert math.exp(log_gamma_tail(count, x)) == pytest.approx(wanted, rel=1e-10, abs=0)
        weights = np.full(count, 0.3)
        p = exponential_tail(np.full(count, x / count), weights)
        assert p == pytest.approx(wanted, rel=1e-7, abs=0)  # rounding of the sum of signals


def test_gamma_tail_below_all_floats() -> None:
    # exp(-x) (1 + x + x^2 / 2) at x = 5000.
    assert log_gamma_tail(3, 5000.0) == pytest.approx(-5000 + math.log(1 + 5000 + 5000**2 / 2), rel=1e-13)
    assert exponential_tail(np.full(3, 5000.0), np.ones(3)) == 1e-300


@fixed
@given(st.sets(st.floats(1e-4, 1.0) | st.floats(0.5, 1.0), min_size=1, max_size=10), levels)
def test_different_weights_by_partial_fractions(chosen: set[float], level: float) -> None:
    means = sorted(chosen)
    # Nearly equal means would take the closed form too many digits.
    assume(all(b - a > 1e-9 for a, b in itertools.pairwise(means)))
    array = np.array(means)
    observed = float(array.sum() + level * math.sqrt(array @ array))
    assume(observed > 0)
    log_p = log_hypoexponential_tail(array, np.ones(len(array), dtype=np.int64), observed)
    assert log_p == pytest.approx(partial_fractions(means, observed), rel=1e-13, abs=1e-10)


@examples(40, derandomize=True)
@given(
    st.dictionaries(st.floats(0.3, 1.0), st.integers(1, 20), min_size=1, max_size=6),
    st.floats(-0.99, 8),
)
def test_repeated_weights_by_a_mixture(coins: dict[float, int], level: float) -> None:
    means, counts = np.array(sorted(coins)), np.array([coins[a] for a in sorted(coins)])
    observed = float(means @ counts + level * math.sqrt(means * means @ counts))
    assume(observed > 0)
    p = math.exp(log_hypoexponential_tail(means, counts, observed))
    assert p == pytest.approx(gamma_mixture(means.tolist(), counts.tolist(), observed), rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("small", "count"),
    [(0.1, 500), (1e-5, 100_000), (0.03, 500), (0.9, 3), (1e-3, 1), (0.01, 40_000), (0.5, 199)],
)
@pytest.mark.parametrize("level", [-2.5, -1, -0.1, 0.1, 1, 2.5, 6, 15, 30])
def test_one_heavy_weight_by_quadrature(small: float, count: int, level: float) -> None:
    observed = 1 + small * count + level * math.sqrt(1 + small * small * count)
    if observed <= 0:
        return
    # P = exp(-s) + integral over the heavy one's x of exp(-x) P(the others >= s - x).
    edges = np.linspace(0, observed, 4001)
    nodes, gauss = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2
    x = (edges[:-1, None] + half * (nodes + 1)).ravel()
    logs = np.append(
        stats.gamma.logsf((observed - x) / small, count) - x + np.log((half * gauss).ravel()), -observed
    )
    logs = logs[~np.isnan(logs)]
    wanted = float(special.logsumexp(logs))
    got = log_hypoexponential_tail(np.array([small, 1.0]), np.array([count, 1]), observed)
    assert got == pytest.approx(min(wanted, 0.0), rel=0, abs=2e-8)


@fixed
@given(
    st.lists(st.tuples(st.floats(1e-6, 1e6), st.floats(0, 30)), min_size=1, max_size=40),
    st.floats(1e-9, 1e9),
    st.randoms(use_true_random=False),
)
def test_neither_order_nor_scale_counts(
    coins: list[tuple[float, float]], scale: float, random: object
) -> None:
    weights, signals = (np.array(column) for column in zip(*coins, strict=True))
    log_p = log_exponential_tail(signals, weights)
    order = list(range(len(coins)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert log_exponential_tail(signals[order], scale * weights[order]) == pytest.approx(
        log_p, rel=1e-9, abs=1e-9
    )
    zero = np.zeros(3)
    padded = log_exponential_tail(np.append(signals, zero + 7), np.append(weights, zero))
    assert padded == pytest.approx(log_p, rel=1e-12, abs=1e-12)


@fixed
@given(st.integers(0, 2**32 - 1), st.integers(1, 120))
def test_a_larger_signal_never_raises_p(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    weights, signals = rng.gamma(0.7, size=count), rng.exponential(size=count)
    before = log_exponential_tail(signals, weights)
    signals[rng.integers(count)] += rng.exponential()
    assert log_exponential_tail(signals, weights) <= before + 1e-10


def test_no_weight_no_evidence() -> None:
    assert exponential_tail(np.zeros(0), np.zeros(0)) == 1.0
    assert exponential_tail(np.full(4, 9.0), np.zeros(4)) == 1.0
    assert exponential_tail(np.zeros(4), np.ones(4)) == 1.0


@pytest.mark.parametrize("kind", ["equal", "spread", "two parts", "one heavy"])
def test_p_values_are_uniform(kind: str) -> None:
    rng = np.random.default_rng(7)
    count = 90
    weights = {
        "equal": np.ones(count),
        "spread": rng.gamma(0.5, size=count),
        # A dual key: 0.9 of one signal and 0.1 of another for each token.
        "two parts": np.multiply.outer(rng.random(count // 2), [0.9, 0.1]).ravel(),
        "one heavy": np.append(np.full(count - 1, 0.05), 3.0),
    }[kind]
    p = [exponential_tail(rng.exponential(size=count), weights) for _ in range(1500)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert stats.binomtest(sum(x <= 0.01 for x in p), len(p), 0.01).pvalue > 1e-3


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (1.0, 0.6, 0.25)])
def test_signals_of_coarse_uniforms_stay_valid(weights: tuple[float, ...]) -> None:
    # vLLM's uniforms with 3 bits for 24: u = (x + 1) / (2^3 + 1), signal -log(1 - u). P(signal >= t) is at
    # most (1 + 2^-3) exp(-t), and reaches it; without that factor p is too small.
    signals = [-math.log1p(-(x + 1) / 9) for x in range(8)]
    draws = np.array(list(itertools.product(signals, repeat=3)))
    corrected = np.sort([exponential_tail(d, np.array(weights), 1 / 8) for d in draws])
    plain = np.sort([exponential_tail(d, np.array(weights)) for d in draws])
    reached = np.arange(1, len(draws) + 1) / len(draws)
    assert (corrected >= np.minimum(1, reached) * (1 - 1e-12)).all()
    assert (plain < reached * 0.99).any()
    # Rounded down, signals need no factor.
    floored = np.array(list(itertools.product([-math.log((x + 1) / 8) for x in range(8)], repeat=3)))
    p = np.sort([exponential_tail(d, np.array(weights)) for d in floored])
    assert (p >= reached * (1 - 1e-12)).all()


@fixed
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=300), st.floats(1e-200, 1e200))
def test_few_values_stay_near(weights: list[float], scale: float) -> None:
    array = np.array(weights)
    values, places = quantize(array * scale)
    assert (np.diff(values) > 0).all()
    assert len(values) <= max(64, 24 * math.asinh(math.sqrt(len(array))) + 2)
    # Proportional to the weights: in units of the largest.
    shares, rounded = array / array.max(), values[places]
    spread = math.sqrt(float(shares @ shares) / len(shares))
    assert (np.abs(rounded - shares) <= np.hypot(spread, shares) / 46 + 1e-7).all()
    if len(np.unique(array)) <= 64:
        np.testing.assert_allclose(rounded, shares, rtol=1e-6)


@examples(300, derandomize=True)
@given(
    st.lists(st.tuples(st.floats(1e-300, 1e300), st.floats(0, 1e9)), min_size=1, max_size=100),
    st.sampled_from([1e-200, 1e-20, 1e-5, 1.0, 1e5]),
)
def test_nothing_overflows(coins: list[tuple[float, float]], scale: float) -> None:
    weights, signals = (np.array(column) for column in zip(*coins, strict=True))
    signals *= scale
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        p = exponential_tail(signals, weights)
    assert 1e-300 <= p <= 1
