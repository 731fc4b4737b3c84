"""Weights of sampling marks by the token's own probability, against marks that are drawn."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from stela_ewd.sampling_likelihood import GumbelLikelihood, SynthIdLikelihood, winners_gain
from stela_testing import EvidenceContract, WeightingContract

import stela_core as stela
from stela_core.api import LanguageModel


class TestGumbelLikelihood(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return GumbelLikelihood(GumbelLikelihood.Parameters())


class TestSynthIdLikelihood(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return SynthIdLikelihood(SynthIdLikelihood.Parameters())


class TestGumbelEvidence(EvidenceContract):
    scheme = "gumbel+ewd-gumbel-likelihood"

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry) -> stela.Watermark:
        return stela.create(cls.scheme, model="tiny", key="public", registry=registry)

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> LanguageModel:
        return stela.load_model("tiny")


class TestSynthIdEvidence(TestGumbelEvidence):
    scheme = "synthid+ewd-synthid-likelihood"


def positions(shares: np.ndarray, tokens: np.ndarray) -> stela.Positions:
    return stela.Positions(len(shares), logits=torch.log(torch.tensor(shares)) * 0.7, tokens=tokens)


def test_gumbel_weights_where_probabilities_are_unit_fractions() -> None:
    """H(n) is 1 + 1/2 + .. + 1/n."""
    for n in (1, 2, 7):
        shares = np.full((1, n), 1 / n)
        [weight] = GumbelLikelihood(GumbelLikelihood.Parameters()).weights(positions(shares, np.array([0])))
        assert weight == pytest.approx(1 - 1 / sum(1 / k for k in range(1, n + 1)), abs=1e-9)


def test_gumbel_signals_of_marks_that_are_drawn() -> None:
    """Mean signal of each token that was chosen: H(1 / p)."""
    rng = np.random.default_rng(0)
    shares = np.array([0.5, 0.25, 0.15, 0.1])
    uniform = rng.random((60_000, 4))
    chosen = (np.log(uniform) / shares).argmax(axis=1)
    signals = -np.log1p(-uniform[np.arange(len(chosen)), chosen])
    weights = GumbelLikelihood(GumbelLikelihood.Parameters()).weights(
        positions(np.tile(shares, (4, 1)), np.arange(4))
    )
    for token, weight in enumerate(weights):
        assert weight == pytest.approx(1 - 1 / signals[chosen == token].mean(), abs=0.01)


@pytest.mark.parametrize("depth", [1, 5, 30])
def test_gains_of_tournaments_that_are_drawn(depth: int) -> None:
    """Mean bit of winners, by what probability they had: one layer exactly, more within a fifth."""
    rng = np.random.default_rng(3)
    shapes = [np.array([0.5, 0.5]), np.array([0.8, 0.2]), np.full(60, 1 / 60)]
    shapes += [rng.dirichlet(np.full(n, a)) for n, a in ((50, 0.3), (20, 0.5))]
    for shares in shapes:
        p = np.tile(shares, (6_000, 1))
        bits = rng.random((depth, *p.shape)) < 0.5
        for layer in bits:
            p = p * (1 + layer - (p * layer).sum(axis=1, keepdims=True))
        winners = (np.cumsum(p, axis=1) < rng.random((len(p), 1))).sum(axis=1).clip(max=p.shape[1] - 1)
        gains = bits[:, np.arange(len(p)), winners].mean(axis=0) - 0.5
        entropy = np.full(len(p), -(shares * np.log(shares)).sum())
        said = winners_gain(shares[winners], entropy, depth)
        for low, high in pairwise([0.0, 0.02, 0.05, 0.1, 0.3, 0.6, 0.9]):
            among = (shares[winners] > low) & (shares[winners] <= high)
            if among.sum() < 500:
                continue
            error = 4 * gains[among].std() / among.sum() ** 0.5
            if depth > 1:
                error += 0.2 * gains[among].mean()
            assert said[among].mean() == pytest.approx(gains[among].mean(), abs=error)
