"""Green tokens as often as the model's distribution allows: a coupling of keyed coins and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_core.api import keyed_seeds, mix

if TYPE_CHECKING:
    import torch


class CouplingParameters(stela.SamplingParameters):
    """Length of the hash context, and what may be paid."""

    once: bool = True
    """Whether a hash context is marked, and scored, only where it stands first in a text."""

    lowering: float = Field(0.0, ge=0, le=10)
    """Nats by which the log-probability of a token that is too likely for its green keys is lowered, at most:
    the inverse of the price of divergence. 0 keeps the model's distribution over keys."""


class Coupling(stela.SamplingHasher[CouplingParameters]):
    """A green list, gamma 1/2, whose tokens are drawn as often as a mark can that keeps the distribution."""

    name = "coupling"
    Parameters = CouplingParameters
    key_in_seed = True

    @property
    def law(self) -> stela.Law:
        """A fair coin a token: its p-value is that of a green list, exactly binomial."""
        return stela.Bernoulli(0.5)

    @property
    def first_only(self) -> bool:
        """Whether a hash context is marked once only, as the parameter ``once`` says."""
        return self.parameters.once

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """1 where the upper bit of the token's number is set: it is green, (n, 1)."""
        return (mix(seeds, tokens) >> np.uint32(31)).astype(np.float64)[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of each row's coupled distribution; ids from ``vocab_size`` on are left out."""
        import torch
        from stela_kernels.torch_bias import mixed

        from stela_coupling.coupling import HEADS, coupled

        logits = scores[:, :vocab_size].float()
        green = mixed(seeds, vocab_size, scores.device) >= 1 << 31
        top = logits.topk(min(HEADS, logits.shape[1]))
        heads = (top.values.double() - top.values[:, :1]).exp()
        shares = (logits - top.values[:, :1]).exp_().scatter_(1, top.indices, 0.0)
        others = shares.sum(1, dtype=torch.float64)
        green_others = (shares * green).sum(1, dtype=torch.float64)
        whole = heads.sum(1) + others
        of_rows = zip(
            (heads / whole[:, None]).tolist(),
            green.gather(1, top.indices).tolist(),
            (others / whole).tolist(),
            (green_others / whole).tolist(),
            strict=True,
        )
        made = [coupled(*row, self.parameters.lowering) for row in of_rows]
        factors = torch.tensor([row[1:] for row in made], dtype=torch.float64, device=scores.device)
        # Logits whose sum of exponentials is 1: log-probabilities.
        biases = (factors.log() - whole.log()[:, None] - top.values[:, :1].double()).float()
        marked = logits + torch.where(green, biases[:, :1], biases[:, 1:])
        marked.scatter_(1, top.indices, torch.tensor([row.heads for row in made]).log().to(marked))
        out = torch.full_like(scores, -torch.inf)
        out[:, :vocab_size] = marked.to(out.dtype)
        return out


class CouplingScheme(stela.SamplingScheme):
    """Green tokens as often as can be while the model's distribution is kept over keys."""

    name = "coupling"
    paper = "after Long et al., ISIT 2025"
    hasher = "coupling"
    strength_range = ("lowering", 0.0, 10.0)


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    """Register the hasher."""
    return Coupling


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return CouplingScheme
