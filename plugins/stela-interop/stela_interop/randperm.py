"""What the hashers of others share: the green tokens are the first of a seeded permutation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_interop.lists import GreenLists

if TYPE_CHECKING:
    import torch

MODULUS = 2**64 - 1
"""Seeds are taken modulo it by transformers and lm-watermarking."""


class RandpermParameters(stela.HasherParameters):
    """Parameters of every hasher here."""

    context_width: int = Field(1, ge=0, le=8)
    """Ids of the text before a token, without which the toolkit does not score it."""

    vocab_size: int = Field(ge=2, le=1 << 24)
    """Length of the permutation: what the toolkit took for the size of the vocabulary."""


class RandpermHasher(stela.GreenList):
    """Green are the first ``int(vocab_size * gamma)`` of ``torch.randperm(vocab_size)`` on a CPU.

    A subclass says how a context seeds the generator.
    """

    Parameters: ClassVar[type[RandpermParameters]] = RandpermParameters

    def __init__(self, parameters: RandpermParameters, key: int) -> None:
        super().__init__(parameters, key)
        self.vocab_size = parameters.vocab_size
        # In floating point, as all three toolkits do.
        self.lists = GreenLists(self.vocab_size, int(self.vocab_size * parameters.gamma))

    def generator_seeds(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.uint32]:
        """The low 32 bits of what ``manual_seed`` gets, (n,), (n,) -> (n,): all that a CPU generator uses."""
        return seeds.astype(np.uint32)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The generator's seed: contexts that share it share their green list."""
        return self.generator_seeds(seeds, tokens).astype(np.uint64)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is in the green list under its seed."""
        return self.lists.colours(self.generator_seeds(seeds, tokens), tokens)

    def listed(self, width: int, seed: np.uint64) -> npt.NDArray[np.bool_]:
        """Mask (width,) of the ids in the green list of a seed."""
        mask = np.zeros(width, dtype=np.bool_)
        green = self.lists.mask(int(self.generator_seeds(np.array([seed]), np.zeros(1, np.int64))[0]))
        mask[: self.vocab_size] = green[:width]
        return mask

    def green_ids(self, row: torch.Tensor, seed: np.uint64) -> torch.Tensor:
        """Mask (width,) of the ids of one row of scores (width,) that the toolkit gives the bias to."""
        import torch

        return torch.from_numpy(self.listed(len(row), seed)).to(row.device)

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width), bit for bit the toolkit's.

        So the hasher's own vocabulary counts, not ``vocab_size``: transformers marks the padding of the
        logits too, ids that no text holds.
        """
        import torch

        out = scores.clone()
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                mask = self.green_ids(scores[row], seed)
                out[row] = torch.where(mask, scores[row] + bias, scores[row])
        return out

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch."""
        out = scores.copy()
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                # As torch on a CPU: the number is rounded to the type of the scores before it is added.
                raised = scores[row] + np.array([bias], dtype=scores.dtype)
                out[row] = np.where(self.listed(scores.shape[1], seed), raised, scores[row])
        return out
