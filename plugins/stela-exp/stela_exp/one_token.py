"""A choice of one token, as logits; and the range of the numbers that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

RANGE = 2.0**32
"""Numbers are 0 .. RANGE - 1."""


def only(scores: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """Logits (rows, width) of distributions on one token each: 0 there, minus infinity elsewhere."""
    import torch

    out = torch.full_like(scores, -torch.inf)
    return out.scatter_(1, tokens[:, None], 0.0)
