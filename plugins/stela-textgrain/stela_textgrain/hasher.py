"""TextGrainHasher: the key tilts which block of the vocabulary the next token comes from."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.many_keys import keyed_sums
from stela_kernels.philox.draws import exponential_draws
from stela_kernels.philox.exponential import Exponential
from stela_kernels.row_entropy import entropies

import stela_core as stela
from stela_core.api import keyed_seeds
from stela_textgrain import fused, numbers
from stela_textgrain.transport import couplings

if TYPE_CHECKING:
    import torch

LEAST = 1e-30
"""Probability that stands for 0 in a logarithm."""


class TextGrainParameters(stela.SamplingParameters):
    """Length of the hash context, the grain of the blocks, and how much entropy the mark may cost."""

    budget: float = Field(0.2, ge=0, le=1)
    """Share of each step's entropy that the key may take, in the mean over columns (beta in the report).
    Detection does not read it."""

    blocks: int = Field(16, ge=2, le=256)
    """Parts of the vocabulary (B)."""

    columns: int = Field(16, ge=2, le=256)
    """Equally likely columns of the table of scores (m)."""


class TextGrainHasher(stela.SamplingHasher[TextGrainParameters]):
    """A token's signal is Exp(1): ``-log(1 - u)`` of the uniform u in its block's cell of the drawn column.

    A context that occurred before is neither marked nor scored: each scored token has a separate table, and
    the sum's law is exactly a Gamma's (section 3 of the report).
    """

    name = "textgrain"
    Parameters = TextGrainParameters
    key_in_seed = True

    @property
    def first_only(self) -> bool:
        """True: a repeated context is left as the model has it."""
        return True

    @property
    def law(self) -> stela.Law:
        """Exp(1), with an upper end: that of the largest number of 32 bits."""
        return Exponential(largest=32 * log(2))

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - x / 2**32)`` of the token's cell, rounded down, (n, 1)."""
        own = self.parameters
        blocks = numbers.blocks(seeds, tokens, own.blocks)
        at = numbers.columns(seeds, own.columns)
        return exponential_draws(numbers.cells(seeds, blocks, at, own.columns))[:, None]

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Weighted sums of the draws, (keys,): all keys' seeds are hashed together."""
        return keyed_sums(self.draws, keys, contexts, tokens, weights)

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of the tilted distribution, (rows, width): a token's is raised by what its block's is."""
        import torch

        own = scores[:, :vocab_size]
        exact = own.to(torch.float64 if scores.dtype == torch.float64 else torch.float32)
        lifts = self._lifts(torch.softmax(exact, dim=1).cpu().numpy(), entropies(exact), seeds)
        out = torch.full_like(scores, -torch.inf)
        out[:, :vocab_size] = exact + torch.from_numpy(lifts).to(scores.device)
        return out

    def _lifts(
        self, probs: npt.NDArray[Any], entropies: npt.NDArray[Any], seeds: npt.NDArray[np.uint64]
    ) -> npt.NDArray[Any]:
        """What is added to each logit, (rows, ids), in nats: ``log(m pi(b, J) / rho(b))`` of its block b."""
        own = self.parameters
        blocks, rho = fused.masses(probs, seeds, own.blocks)
        # Rounding may leave a certain token an entropy just below 0.
        budgets = own.budget * np.maximum(np.nan_to_num(entropies), 0)
        pi = couplings(rho, numbers.tables(seeds, own.blocks, own.columns), budgets)
        at = numbers.columns(seeds, own.columns)
        chosen = np.take_along_axis(pi, at[:, None, None], axis=2)[:, :, 0] * own.columns
        # A block without mass has no token that may come.
        lifts = np.log(np.maximum(chosen, LEAST) / np.maximum(rho, LEAST))
        return fused.spread(lifts.astype(probs.dtype), blocks)
