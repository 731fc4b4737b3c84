"""GumbelHasher: choose each token by Gumbel noise under the row's seed; what the hashers here share.

The argmax of logits + g, with g = -log(-log u) independent standard Gumbel numbers, is a draw from the
softmax of the logits (Gumbel 1954; Maddison et al. 2014). Under a key the u of a context's candidates are
numbers that anybody who has it can compute (Aaronson 2022), and the chosen token's tend to be large:
-log(1 - u), Exp(1) for any other token, grows with the number of tokens that the model had to choose from.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from math import log
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.exponential import Exponential
from stela_kernels.row_seeds import coins

import stela_core as stela
from stela_gumbel import fused, uniforms

if TYPE_CHECKING:
    import torch


G_co = TypeVar("G_co", bound=stela.SamplingParameters, covariant=True)


class GumbelHasher(stela.SamplingHasher[G_co]):
    """A subclass says whose hash it is: seeds, draws, and the words of a row."""

    noise_of: ClassVar[int] = uniforms.OWN
    """The hash that makes a token's numbers, a constant of ``uniforms.py``."""

    bits: ClassVar[int] = 32
    """Bits of a token's number."""

    @property
    def law(self) -> stela.Law:
        """Exp(1), with an upper end: that of the largest number."""
        return Exponential(largest=self.bits * log(2))

    @abstractmethod
    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """What the numbers of each row's tokens are made of, (rows, words)."""

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The seed; of several words the first, which differs where seeds do, but for one pair in 2**64."""
        return seeds if seeds.ndim == 1 else np.ascontiguousarray(seeds[:, 0])

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """New scores (rows, width): 0 at the chosen token, minus infinity elsewhere.

        By one compiled pass on a CPU, else by torch operations. A row without a finite score is copied.
        """
        words, width = self.words(seeds), min(vocab_size, scores.shape[-1])
        if fused.suits(scores):
            return fused.mark(self.noise_of, scores, words, width)
        from stela_gumbel import on_torch

        return on_torch.mark(self.noise_of, scores, words, width)

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch: by the compiled pass, or else by numpy operations."""
        words, width = self.words(seeds), min(vocab_size, scores.shape[-1])
        if fused.suits_array(scores):
            return fused.mark_array(self.noise_of, scores, words, width)
        return uniforms.mark_array(self.noise_of, scores, words, width)


def unkeyed(count: int) -> npt.NDArray[np.float64]:
    """Random numbers in [0, 1), (count,), that no key makes: those of the rows' seeds where whoever marks
    draws by seeds, else torch's global generator's, or numpy's.
    """
    of_rows = coins(count)
    if of_rows is not None:
        return of_rows
    torch = sys.modules.get("torch")
    if torch is None:
        return np.random.random(count)
    drawn: npt.NDArray[np.float64] = torch.rand(count, dtype=torch.float64).numpy()
    return drawn
