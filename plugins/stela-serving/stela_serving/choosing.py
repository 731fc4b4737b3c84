"""The token of a row that a mark has reshaped, drawn as the request's seed says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import torch

STRIDE = 0x9E3779B97F4A7C15
"""Odd: the seeds of a text's places are all different (2^64 over the golden ratio)."""


class Drawing(Protocol):
    """How an engine draws the tokens of a request; hashable, equal where final logits are made alike."""

    @property
    def seed(self) -> int | None:
        """Seed of the request's draws; ``None`` where it has none."""

    @property
    def unseeded(self) -> Drawing:
        """The same without the seed."""

    def final(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits (rows, width) that the engine would draw from: temperature and truncation applied."""


def choose(logits: torch.Tensor, seed: int | None, place: int) -> torch.Tensor:
    """Logits (width,) of a marked distribution with one token left: it 0, others minus infinity.

    Args:
        logits: of the marked distribution.
        seed: of the request: equal seeds draw the same, whatever steps were thrown away. Without one torch
            draws by its own generator.
        place: of the token in its text.
    """
    import torch

    generator = None
    if seed is not None:
        generator = torch.Generator(logits.device)
        generator.manual_seed((seed + place * STRIDE) % 2**63)
    chosen = torch.multinomial(logits.float().softmax(-1), 1, generator=generator)
    return torch.full_like(logits, -torch.inf).scatter_(0, chosen, 0.0)


def tokens_left(logits: torch.Tensor) -> list[int]:
    """How many tokens may come in each row of logits (rows, width): 1 where a mark has chosen."""
    import torch

    if logits.device.type == "cpu" and logits.dtype != torch.bfloat16:  # torch sums truths many times slower
        return [int(np.count_nonzero(np.isfinite(row))) for row in logits.detach().numpy()]
    left: list[int] = torch.isfinite(logits).sum(-1, dtype=torch.int32).tolist()
    return left
