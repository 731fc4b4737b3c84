"""Effects of a mark on a distribution, against very many random splits of its vocabulary."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import torch
from stela_models.green_effects import BLOCK, TOP, _highest, effects

STRENGTHS = (0.0, 0.5, 2.0, 4.0)
SPLITS = 2000
V = 400


def rows(spreads: tuple[float, ...]) -> torch.Tensor:
    """Logits, from nearly even to nearly certain."""
    draw = np.random.default_rng(3)
    return torch.tensor(np.array([draw.normal(size=V) * spread for spread in spreads]), dtype=torch.float32)


def by_splits(p: np.ndarray, factor: float) -> tuple[float, float, float]:
    """Rise, surprisal and divergence of one distribution, from the definitions, by random halves."""
    half = np.random.default_rng(1).random((SPLITS, V)) < 0.5
    green = np.concatenate([half, ~half])
    marked = np.where(green, p * factor, p)
    marked /= marked.sum(1, keepdims=True)
    surprisal = -np.log(p)
    mean = marked.mean(0)
    return (
        float((marked * green).sum(1).mean() - 0.5),
        float(mean @ surprisal - p @ surprisal),
        float((mean * np.log(mean / p)).sum()),
    )


@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_effects_are_those_of_random_splits(temperature: float) -> None:
    logits = rows((0.3, 2, 4, 6))
    measured = effects(logits, temperature, STRENGTHS)
    assert measured.shape == (4, 3, len(STRENGTHS))
    p = torch.softmax(logits.double() / temperature, -1).numpy()
    for row, strength in ((row, at) for row in range(4) for at in range(len(STRENGTHS))):
        expected = by_splits(p[row], float(np.exp(STRENGTHS[strength] / temperature)))
        assert measured[row, :, strength] == pytest.approx(expected, rel=0.05, abs=0.002)


def test_nothing_is_bought_where_there_is_no_choice() -> None:
    """One possible token: no rise, no cost; and a mask does no harm."""
    logits = torch.full((2, V), -torch.inf)
    logits[0, 7] = 3.0
    logits[1, :200] = 1.0
    certain, even = effects(logits, 1.0, STRENGTHS)
    assert np.abs(certain).max() < 1e-6
    assert even[0, 2] == pytest.approx(np.e**2 / (1 + np.e**2) - 0.5, abs=0.005)
    assert effects(logits[:0], 1.0, STRENGTHS).shape == (0, 3, len(STRENGTHS))


def test_the_highest_are_those_of_few_blocks() -> None:
    row = torch.randn(40 * BLOCK + 100, generator=torch.Generator().manual_seed(0))
    row[-1], row[3], row[4] = 9.0, 8.0, 7.0
    assert _highest(row).tolist() == row.topk(TOP).values.tolist()


def by_all_colourings(p: np.ndarray, factor: float, gamma: float) -> tuple[float, float]:
    """Rise and surprisal over the 2 ** n ways of colouring n tokens, each with its probability."""
    green = np.array([*product([0.0, 1.0], repeat=len(p))])
    chance = np.where(green > 0, gamma, 1 - gamma).prod(1)
    marked = p * np.where(green > 0, factor, 1)
    marked /= marked.sum(1, keepdims=True)
    return chance @ (marked * green).sum(1) - gamma, chance @ (marked @ -np.log(p)) + p @ np.log(p)


@pytest.mark.parametrize("gamma", [0.5, 0.25])
def test_of_few_tokens_effects_are_exact(gamma: float) -> None:
    """Six that can come, each row under a bias that only it has; sums are those of float32."""
    logits = torch.full((5, V), -torch.inf)
    logits[:, :TOP] = rows((0.3, 1, 2, 3, 4))[:, :TOP]
    biases = np.array([[0.0], [0.5], [1.0], [2.0], [4.0]])
    measured = effects(logits, 0.7, biases, gamma)
    p = torch.softmax(logits.double() / 0.7, -1).numpy()[:, :TOP]
    for row, bias in enumerate(biases[:, 0]):
        expected = by_all_colourings(p[row], float(np.exp(bias / 0.7)), gamma)
        assert measured[row, :2, 0] == pytest.approx(expected, abs=3e-5)


def test_of_ten_tokens_effects_are_nearly_exact() -> None:
    """Four more than are coloured one by one, no other: the worst there is for the two points."""
    logits = torch.full((3, V), -torch.inf)
    logits[:, :10] = rows((0.3, 1, 2))[:, :10]
    for row, one in enumerate(torch.softmax(logits.double(), -1).numpy()[:, :10]):
        expected = by_all_colourings(one, np.e, 0.5)
        assert effects(logits, 1.0, [1.0])[row, :2, 0] == pytest.approx(expected, abs=2e-4)


def integral(p: np.ndarray, factor: float) -> float:
    """The rise, exactly, of independent halves: ``1 / Z`` is an integral of ``e^(-t Z)``, whose mean is a
    product over tokens.
    """
    c, value, (points, weights) = factor - 1, 0.0, np.polynomial.legendre.leggauss(20)
    edges = np.concatenate([[0], np.geomspace(1e-3, 60, 30)])
    for low, high in pairwise(edges):
        t = (high - low) / 2 * points + (high + low) / 2
        means = np.log((1 + np.exp(-np.outer(t, c * p))) / 2).sum(1)
        value += (high - low) / 2 * weights @ np.exp(means - t)
    return float(factor / c * (1 - value) - 0.5)


def test_the_rise_is_right_to_four_ten_thousandths() -> None:
    logits = rows((0.3, 1, 2, 3, 4, 6))
    p = torch.softmax(logits.double() / 0.7, -1).numpy()
    for bias in (0.5, 1.0, 2.0, 4.0):
        expected = [integral(row, float(np.exp(bias / 0.7))) for row in p]
        assert effects(logits, 0.7, [bias])[:, 0, 0] == pytest.approx(expected, abs=4e-4)
