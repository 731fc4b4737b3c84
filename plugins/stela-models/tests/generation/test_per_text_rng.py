"""The nucleus and the draws from it, against transformers' own and against a slow count."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from stela_models.generation.per_text_rng import BLOCK, PerTextRng, draw_by_blocks, nucleus_draw
from transformers import TopPLogitsWarper

from tests.tiers import examples

GRID = 4000


def draws_on_a_grid(scores: torch.Tensor, top_p: float, temperature: float = 1.0) -> list[int]:
    """What evenly spaced uniform numbers draw."""
    uniform = (torch.arange(GRID, dtype=torch.float64) + 0.5) / GRID
    return nucleus_draw(scores.expand(GRID, -1), uniform, top_p, temperature).tolist()


@pytest.mark.parametrize("top_p", [0.05, 0.3, 0.75, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_nucleus_is_that_of_transformers(top_p: float, seed: int) -> None:
    scores = torch.from_numpy(np.random.default_rng(seed).normal(0, 2, (1, 30)))
    kept = TopPLogitsWarper(top_p)(torch.zeros(1, 1, dtype=torch.long), scores.clone())
    assert set(draws_on_a_grid(scores, top_p)) == set(torch.isfinite(kept[0]).nonzero()[:, 0].tolist())


def test_tokens_are_drawn_as_often_as_they_are_probable() -> None:
    """Nucleus 0.75 of (0.5, 0.3, 0.15, 0.05) is the first two: 5/8 and 3/8."""
    scores = torch.tensor([[0.15, 0.5, 0.05, 0.3]]).log()
    drawn = np.bincount(draws_on_a_grid(scores, 0.75), minlength=4) / GRID
    assert drawn == pytest.approx([0, 5 / 8, 0, 3 / 8], abs=1.5 / GRID)
    drawn = np.bincount(draws_on_a_grid(scores, 1.0), minlength=4) / GRID
    assert drawn == pytest.approx([0.15, 0.5, 0.05, 0.3], abs=1.5 / GRID)


def test_temperature() -> None:
    """At 2, the square roots: 4, 3 and 2 parts of 9."""
    scores = torch.tensor([[16.0, 9.0, 4.0]]).log()
    drawn = np.bincount(draws_on_a_grid(scores, 1.0, temperature=2.0), minlength=3) / GRID
    assert drawn == pytest.approx([4 / 9, 3 / 9, 2 / 9], abs=1.5 / GRID)


@pytest.mark.parametrize("uniform", [0.0, 0.999999999999, np.nextafter(1.0, 0.0)])
def test_ends_of_the_unit_interval(uniform: float) -> None:
    scores = torch.tensor([[0.0, -torch.inf, 1.0, -50.0]])
    [drawn] = nucleus_draw(scores, torch.tensor([uniform], dtype=torch.float64), 0.9).tolist()
    assert drawn == (2 if uniform == 0.0 else 0)


def test_one_number_a_row_and_step() -> None:
    scores = torch.zeros(2, 50)
    together = PerTextRng([np.random.default_rng(1), np.random.default_rng(2)], 1.0, 1.0)
    steps = torch.stack([together(torch.zeros(2, 1), scores).argmax(dim=1) for _ in range(20)])
    for row, seed in enumerate((1, 2)):
        expected = [int(number * 50) for number in np.random.default_rng(seed).random(20)]
        assert steps[:, row].tolist() == expected
    out = together(torch.zeros(2, 1), scores)
    assert (out == 0).sum(dim=1).tolist() == [1, 1]
    assert torch.isinf(out).sum(dim=1).tolist() == [49, 49]


@examples(60)
@given(
    st.integers(1, 3 * BLOCK + 1),
    st.sampled_from([0.3, 0.7, 1.0, 2.0]),
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 1 << 30),
)
@example(width=BLOCK, temperature=1.0, uniform=0.0, seed=0)
@example(width=2 * BLOCK, temperature=1.0, uniform=np.nextafter(1.0, 0.0), seed=0)
def test_draws_by_blocks_against_one_sum(width: int, temperature: float, uniform: float, seed: int) -> None:
    """The token's own interval of the cumulative probability holds the number, but for float32's rounding."""
    random = np.random.default_rng(seed)
    scores = random.normal(0, 3, width)
    scores[random.random(width) < 0.3] = -np.inf
    scores[random.integers(width)] = 1.0
    [drawn] = draw_by_blocks(
        torch.from_numpy(scores.astype(np.float32))[None],
        torch.tensor([uniform], dtype=torch.float64),
        temperature,
    ).tolist()
    probabilities = np.exp((scores - scores.max()) / temperature)
    ends = np.cumsum(probabilities / probabilities.sum())
    assert np.isfinite(scores[drawn])
    assert ends[drawn] - probabilities[drawn] / probabilities.sum() <= uniform + 1e-6
    assert uniform <= ends[drawn] + 1e-6
