"""What the reweighted marks share: a keyed order of the vocabulary for each hash context."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Generic

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

import stela_core as stela
from stela_core.api import keyed_seeds

if TYPE_CHECKING:
    import torch


class PermutedParameters(stela.SamplingParameters):
    """Length of the hash context."""

    context_width: int = Field(5, ge=1, le=8)
    """Number of preceding token ids that seed the vocabulary's order (the context code of the papers)."""


P_co = TypeVar("P_co", bound=PermutedParameters, default=PermutedParameters, covariant=True)


class PermutedHasher(stela.SamplingHasher[P_co], Generic[P_co]):
    """The vocabulary in the order of its mixed numbers under the seed of the hash context.

    The core's mix is a permutation of the 32-bit numbers under each seed, so the order has no ties, and
    ``x / 2**32`` is a token's place in it, O(1) and without the vocabulary. A context that came before in the
    text is not marked again, nor scored: that is what keeps a whole text unbiased (the papers' history of
    context codes, here that of one text).
    """

    Parameters = PermutedParameters

    key_in_seed = True

    @property
    def first_only(self) -> bool:
        """True: each hash context of a text is used once."""
        return True

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of each row's reweighted distribution; ids from ``vocab_size`` on are left out."""
        import torch
        from stela_kernels.torch_bias import mixed

        out = torch.full_like(scores, -torch.inf)
        numbers = mixed(seeds, vocab_size, scores.device)
        for row, seed in enumerate(seeds.tolist()):
            # What truncation left out has no probability: most of the vocabulary need not be looked at.
            kept = torch.nonzero(scores[row, :vocab_size] > -torch.inf)[:, 0]
            logs = scores[row, kept].double().log_softmax(0)
            out[row, kept] = (logs + self.log_factors(logs, numbers[row, kept], seed)).to(out.dtype)
        return out

    @abstractmethod
    def log_factors(self, logs: torch.Tensor, numbers: torch.Tensor, seed: int) -> torch.Tensor:
        """Logarithm of what each probability of one row is multiplied by, (tokens,), float64.

        Args:
            logs: logarithms of the probabilities, (tokens,), float64.
            numbers: of the tokens in the keyed order, (tokens,), int64.
            seed: of the hash context.
        """
