"""Gains of sampling marks against marks that are drawn."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_ewd.sampling_gain import GumbelGain, SynthIdGain
from stela_testing import WeightingContract

import stela_core as stela
from tests.tiers import examples


class TestGumbelGain(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return GumbelGain(GumbelGain.Parameters())


class TestSynthIdGain(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return SynthIdGain(SynthIdGain.Parameters())


def gumbel_weights(rows: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    weighting = GumbelGain(GumbelGain.Parameters(temperature=temperature))
    return weighting.weights(stela.Positions(len(rows), logits=torch.tensor(rows)))


@examples(30)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_gumbel_gain_where_probabilities_are_unit_fractions(parts: list[int]) -> None:
    """H(1 / p) is 1 + 1/2 + .. + p: equal tokens, 1 / p of them, in several blocks of equal mass."""
    shares = np.concatenate([np.full(n, 1 / (n * len(parts))) for n in parts])
    mean = np.mean([sum(1 / k for k in range(1, n * len(parts) + 1)) for n in parts])
    [weight] = gumbel_weights(np.log(shares)[None] * 0.7, temperature=0.7)
    assert weight == pytest.approx(1 - 1 / mean, abs=1e-9)


def test_gumbel_gain_of_marks_that_are_drawn() -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(30, 0.3))
    uniform = rng.random((40_000, 30))
    chosen = (np.log(uniform) / shares).argmax(axis=1)
    excess = float(-np.log1p(-uniform[np.arange(len(chosen)), chosen]).mean() - 1)
    [weight] = gumbel_weights(np.log(shares)[None])
    assert weight / (1 - weight) == pytest.approx(excess, rel=0.03)


def test_gumbel_weights_win() -> None:
    """Mean -log p of a text with three kinds of tokens: more than with uniform weights or with g."""
    from stela_kernels.philox.exponential import log_exponential_tail
    from stela_models.gains import of_exponentials

    rng = np.random.default_rng(1)
    gains = np.repeat([0.05, 0.3, 4.0], [60, 30, 30])
    texts = rng.exponential(size=(60, 120)) * (1 + gains)

    def evidence(weights: np.ndarray) -> float:
        return float(np.mean([-log_exponential_tail(signals, weights) for signals in texts]))

    best = evidence(of_exponentials(gains))
    assert best > evidence(np.ones(120)) + 5
    assert best > evidence(gains) + 0.5


@pytest.mark.parametrize("depth", [5, 30])
def test_tournament_gain_of_marks_that_are_drawn(depth: int) -> None:
    """All layers, by the two-way tournament's formula for the distribution (Dathathri et al. 2024)."""
    rng = np.random.default_rng(2)
    rows = [np.full(2, 0.5), np.full(60, 1 / 60), np.array([0.9, 0.1]), np.arange(1, 500.0) ** -1.0]
    rows += [rng.dirichlet(np.full(n, a)) for n, a in ((50, 0.3), (500, 0.1), (5, 1.0))]
    weighting = SynthIdGain(SynthIdGain.Parameters(depth=depth))
    for row in rows:
        shares = row / row.sum()
        marked, excess = np.tile(shares, (600, 1)), 0.0
        for _ in range(depth):
            bits = rng.random(marked.shape) < 0.5
            ones = (marked * bits).sum(axis=1, keepdims=True)
            # Of two draws with a bit each, three in four have a one unless they are the same token.
            excess += float((1 - (marked * marked).sum(axis=1)).mean()) / 4 / depth
            marked = marked * (1 + bits - ones)
        logits = torch.tensor(0.7 * np.log(shares)[None])
        [gain] = weighting.weights(stela.Positions(1, logits=logits))
        assert gain == pytest.approx(excess, rel=0.17)


def test_a_certain_token_counts_nothing() -> None:
    rows = torch.full((2, 9), -torch.inf)
    rows[0, 3] = 0.0
    rows[1, :] = 0.0
    for kind, free in ((GumbelGain, 1 - 1 / sum(1 / k for k in range(1, 10))), (SynthIdGain, 0.12)):
        certain, equal = kind(kind.Parameters()).weights(stela.Positions(2, logits=rows))
        assert certain == pytest.approx(0, abs=1e-9)
        assert equal == pytest.approx(free, rel=0.1)
