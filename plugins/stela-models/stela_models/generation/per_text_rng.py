"""Sampling in which each row of a batch has a separate generator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import LogitsProcessor

BLOCK = 512
"""Tokens whose probabilities are summed at once."""


class PerTextRng(LogitsProcessor):
    """Leave one token of each row possible: drawn from the nucleus, by the row's own generator.

    ``generate`` draws all rows from one generator, so what a text becomes depends on its batch. Here a
    row takes one uniform number a step: the token at which the cumulative probability, most probable
    token first, passes it (in the order of ids where ``top_p`` is 1). Greedy search then is sampling.

    Args:
        draws: a generator for each row.
        top_p: probability of the nucleus, the smallest set of the most probable tokens that reaches it.
        temperature: logits are divided by it.
    """

    def __init__(self, draws: Sequence[np.random.Generator], top_p: float, temperature: float) -> None:
        self._draws = draws
        self._top_p = top_p
        self._temperature = temperature

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Scores (rows, vocabulary) that are 0 for the drawn token and minus infinity for the others."""
        uniform = torch.tensor([draws.random() for draws in self._draws], dtype=torch.float64)
        chosen = nucleus_draw(scores, uniform.to(scores.device), self._top_p, self._temperature)
        out = torch.full_like(scores, -torch.inf)
        return out.scatter_(1, chosen[:, None], 0.0)  # type: ignore[return-value]


def nucleus_draw(
    scores: torch.Tensor, uniform: torch.Tensor, top_p: float, temperature: float = 1.0
) -> torch.Tensor:
    """Ids of the drawn tokens.

    Args:
        scores: logits (rows, vocabulary).
        uniform: (rows,), float64 in [0, 1).
        top_p: in (0, 1].
        temperature: above 0.

    Returns:
        (rows,), int64.
    """
    if top_p >= 1:
        return draw_by_blocks(scores, uniform, temperature)
    # On some devices there is no float64; rounding there moves a token's bounds by 1e-7 or so.
    wide = torch.float32 if scores.device.type == "mps" else torch.float64
    probabilities = torch.softmax(scores.to(wide) / temperature, dim=-1)
    ranked, ids = torch.sort(probabilities, dim=-1, descending=True, stable=True)
    below = torch.cumsum(ranked, dim=-1) - ranked
    nucleus = torch.where(below < top_p, ranked, 0.0)
    total = torch.cumsum(nucleus, dim=-1)
    wanted = uniform.to(wide)[:, None] * total[:, -1:]
    place = torch.searchsorted(total, wanted, right=True)
    # A product may round up to the sum itself.
    last = (nucleus > 0).sum(dim=-1, keepdim=True) - 1
    return ids.gather(1, torch.minimum(place, last))[:, 0]


def draw_by_blocks(scores: torch.Tensor, uniform: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
    """Ids (rows,) of tokens drawn from all, in the order of ids, by the sums of blocks.

    Of 262,144 tokens a row, ``torch.multinomial`` takes as long as a small model's own step, for it draws a
    number for each; here only the block that the row's number falls into is summed token by token. The sums
    are float64 of float32 parts, so a token's bounds are off by some 1e-7 of the whole.
    """
    rows, width = scores.shape
    wide = torch.float32 if scores.device.type == "mps" else torch.float64
    likeliest = scores.amax(dim=-1, keepdim=True)
    parts = torch.sub(scores, likeliest).float()
    if temperature != 1:
        parts.div_(temperature)
    parts.exp_()
    if width % BLOCK:
        parts = torch.nn.functional.pad(parts, (0, BLOCK - width % BLOCK))
    blocks = parts.view(rows, -1, BLOCK)
    total = torch.cumsum(blocks.sum(dim=-1).to(wide), dim=-1)
    wanted = uniform.to(wide)[:, None] * total[:, -1:]
    block = _place(total, wanted)
    before = torch.where(block > 0, total.gather(1, (block - 1).clamp(min=0)), 0.0)
    within = torch.cumsum(blocks[torch.arange(rows, device=scores.device), block[:, 0]].to(wide), dim=-1)
    return (block * BLOCK + _place(within, wanted - before))[:, 0]


def _place(total: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Index (rows, 1) of the first running sum above what is wanted; the last that has a part, at the end."""
    below = torch.nextafter(total[:, -1:], torch.zeros_like(total[:, -1:]))
    return torch.searchsorted(total, torch.minimum(wanted, below), right=True)
