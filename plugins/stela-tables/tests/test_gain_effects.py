"""Effects of a mark on a distribution, against very many random splits of its vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from stela_tables.gains.effects import BLOCK, TOP, _highest, effects

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
