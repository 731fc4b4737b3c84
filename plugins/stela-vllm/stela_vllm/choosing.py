"""The token of a row that a mark has reshaped, drawn as the request's seed says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stela_vllm.sampling import Sampling

if TYPE_CHECKING:
    import torch


class Chooser:
    """Draw a request's tokens, with its own generator where it has a seed.

    Args:
        sampling: of the request.
    """

    def __init__(self, sampling: Sampling) -> None:
        self._seed = sampling.seed
        self._generator: torch.Generator | None = None

    def choose(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits (width,) of the marked distribution with one token left: it 0, others minus infinity."""
        import torch

        if int(torch.isfinite(logits).sum()) == 1:
            return logits  # the mark has chosen already
        if self._seed is not None and self._generator is None:
            self._generator = torch.Generator(logits.device)
            self._generator.manual_seed(self._seed)
        chosen = torch.multinomial(logits.float().softmax(-1), 1, generator=self._generator)
        return torch.full_like(logits, -torch.inf).scatter_(0, chosen, 0.0)
