"""How a request's tokens are drawn, and what marks of either kind need of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import stela_core as stela

if TYPE_CHECKING:
    import torch

ALL = 1 << 30
"""``TOP_K_ALL``: SGLang's top-k of all tokens."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How one request is drawn, as in SGLang's ``SamplingParams``, which it has put in order."""

    temperature: float = 1.0
    top_k: int = ALL
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | None = None

    @classmethod
    def of(cls, params: Any) -> Drawing:
        """Read off ``SamplingParams``."""
        return cls(params.temperature, params.top_k, params.top_p, params.min_p, params.sampling_seed)

    def final(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits (rows, width) that SGLang would draw from.

        All three cuts are of the model's own probabilities, as in its
        ``top_k_top_p_min_p_sampling_from_probs_torch`` (``srt/layers/sampler.py``).
        """
        import torch

        logits = logits.float() / self.temperature
        if self.top_k >= logits.shape[-1] and self.top_p == 1 and self.min_p == 0:
            return logits
        descending, order = logits.softmax(-1).sort(dim=-1, descending=True)
        out = descending.cumsum(-1) - descending > self.top_p
        out[..., self.top_k :] = True
        out |= descending < descending[..., :1] * self.min_p
        return logits.masked_fill(torch.zeros_like(out).scatter(-1, order, out), -torch.inf)

    @property
    def unseeded(self) -> Drawing:
        """The same without the seed: what makes rows' final logits alike."""
        return replace(self, seed=None)


def require_drawn(temperature: float | None, top_k: int | None) -> None:
    """Refuse a request whose mark chooses tokens, where SGLang draws none.

    Raises:
        stela.StelaError: it takes the likeliest one.
    """
    if (temperature is not None and 0 <= temperature < 1e-6) or top_k == 1:
        raise stela.StelaError(
            "this mark works by drawing tokens, and at temperature 0 nothing is drawn.",
            "set a temperature above 0, or take a profile whose scheme raises logits, such as kgw",
        )
