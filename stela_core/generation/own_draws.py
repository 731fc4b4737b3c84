"""Sampling in which each row of a batch has a generator of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import LogitsProcessor


class OwnDraws(LogitsProcessor):
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
    # On some devices there is no float64; rounding there moves a token's bounds by 1e-7 or so.
    wide = torch.float32 if scores.device.type == "mps" else torch.float64
    probabilities = torch.softmax(scores.to(wide) / temperature, dim=-1)
    if top_p >= 1:
        # All tokens count, in whatever order: that of the ids needs no sorting.
        total = torch.cumsum(probabilities, dim=-1)
        wanted = uniform.to(wide)[:, None] * total[:, -1:]
        below = torch.nextafter(total[:, -1:], torch.zeros_like(total[:, -1:]))
        return torch.searchsorted(total, torch.minimum(wanted, below), right=True)[:, 0]
    ranked, ids = torch.sort(probabilities, dim=-1, descending=True, stable=True)
    below = torch.cumsum(ranked, dim=-1) - ranked
    nucleus = torch.where(below < top_p, ranked, 0.0)
    total = torch.cumsum(nucleus, dim=-1)
    wanted = uniform.to(wide)[:, None] * total[:, -1:]
    place = torch.searchsorted(total, wanted, right=True)
    # A product may round up to the sum itself.
    last = (nucleus > 0).sum(dim=-1, keepdim=True) - 1
    return ids.gather(1, torch.minimum(place, last))[:, 0]
