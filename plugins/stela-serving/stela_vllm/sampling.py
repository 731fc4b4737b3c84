"""How a request's tokens are drawn, and what marks of either kind need of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import stela_core as stela

if TYPE_CHECKING:
    import torch

GREEDY = 1e-5
"""vLLM takes the likeliest token below this temperature."""

PENALTIES = {"presence_penalty": 0.0, "frequency_penalty": 0.0, "repetition_penalty": 1.0}
"""Fields of ``SamplingParams``, and the values that say nothing."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one request is sampled, as in vLLM's ``SamplingParams``."""

    temperature: float = 1.0
    top_k: int = 0
    """0 and less: all tokens."""
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | None = None

    @classmethod
    def of(cls, params: Any) -> Sampling:
        """Read off ``SamplingParams``."""
        return cls(params.temperature, params.top_k, params.top_p, params.min_p, params.seed)

    def final(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits (rows, width) that vLLM would draw from: temperature, min-p, top-k, top-p in its order.

        These logits themselves where nothing changes them.
        """
        import torch

        logits = logits.float()
        if self.temperature != 1:
            logits = logits / self.temperature
        if self.min_p > 0:
            probabilities = logits.softmax(-1)
            least = self.min_p * probabilities.amax(-1, keepdim=True)
            logits = logits.masked_fill(probabilities < least, -torch.inf)
        if 0 < self.top_k < logits.shape[-1]:
            last = logits.topk(self.top_k).values[:, -1:]
            logits = logits.masked_fill(logits < last, -torch.inf)
        if self.top_p < 1:
            ascending, order = logits.sort(dim=-1, stable=True)
            below = ascending.softmax(-1).cumsum(-1) <= 1 - self.top_p
            below[:, -1] = False  # the likeliest stays
            logits = logits.masked_fill(torch.zeros_like(below).scatter(-1, order, below), -torch.inf)
        return logits

    @property
    def unseeded(self) -> Sampling:
        """The same without the seed: what makes rows' final logits alike."""
        return replace(self, seed=None)


def require_no_beams(params: Any) -> None:
    """Refuse a step of vLLM's beam search, which reads the model's own probabilities.

    It is a separate request, of one token, with likelihoods and without text. It does not tell what the
    client asked for, so that nobody knows whether a mark is missed.

    Raises:
        stela.StelaError: it is one.
    """
    if params.max_tokens == 1 and params.logprobs is not None and not params.detokenize:
        raise stela.StelaError("texts of a beam search are not marked.", "sample without use_beam_search")


def require_drawn(params: Any) -> None:
    """Refuse a request whose mark chooses tokens, where vLLM draws none or changes logits afterwards.

    Raises:
        stela.StelaError: it does.
    """
    if params.temperature < GREEDY:
        raise stela.StelaError(
            "this mark works by drawing tokens, and at temperature 0 nothing is drawn.",
            "set a temperature above 0, or take a profile whose scheme raises logits, such as kgw",
        )
    given = [name for name, nothing in PENALTIES.items() if getattr(params, name) != nothing]
    if given:
        raise stela.StelaError(
            f"this mark chooses the tokens before {given[0]} is applied.",
            "leave penalties out, or take a profile whose scheme raises logits, such as kgw",
        )
