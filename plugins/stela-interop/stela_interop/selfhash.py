"""``selfhash`` of transformers and lm-watermarking: the candidate itself is part of what seeds its list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_interop.randperm import RandpermHasher, RandpermParameters
from stela_interop.shuffles import permutation

if TYPE_CHECKING:
    import torch

TABLE_SIZE = 1_000_003
BITS = 20
"""An entry of the table takes 20 bits, so a seed of 64 bits holds a context of three."""


class SelfhashParameters(RandpermParameters):
    """What differs between the two toolkits."""

    context_width: int = Field(3, ge=0, le=3)
    """Ids before the candidate: one less than the toolkit's, which counts the candidate."""

    table_seed: int | None = Field(None, ge=0, lt=2**64)
    """Seed of the table: lm-watermarking's is 2971215073; None is the key, as in transformers."""

    candidates: int = Field(40, ge=1)
    """The likeliest ids that generation looks at: 40 in transformers, 41 in lm-watermarking."""


class Selfhash(RandpermHasher):
    """Seed of candidate c: the least of ``key * H(x) * H(c)``, x over the context and c itself.

    ``H(x) = randperm(1000003)[x % 1000003] + 1``; products wrap as signed 64-bit integers; the seed is
    taken modulo ``2**64 - 1``. At generation only the likeliest candidates get the bias.
    """

    name = "interop-selfhash"
    Parameters = SelfhashParameters

    def __init__(self, parameters: SelfhashParameters, key: int) -> None:
        super().__init__(parameters, key)
        self._seed = key if parameters.table_seed is None else parameters.table_seed
        self._candidates = parameters.candidates

    @cached_property
    def _table(self) -> npt.NDArray[np.int64]:
        return permutation(self._seed, TABLE_SIZE)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The table's entries for the context's ids, 20 bits each, (n, context_width) -> (n,)."""
        packed = np.zeros(len(contexts), dtype=np.uint64)
        for column in contexts.T:
            packed = (packed << np.uint64(BITS)) | self._table[column % TABLE_SIZE].astype(np.uint64)
        return packed

    def generator_seeds(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.uint32]:
        """What ``manual_seed`` gets for each candidate, its low 32 bits."""
        own = (self._table[tokens % TABLE_SIZE] + 1).astype(np.uint64)
        salted = own * np.uint64(self.key)
        least = (salted * own).view(np.int64)
        for place in range(self.context_width):
            entry = (seeds >> np.uint64(BITS * place)) & np.uint64((1 << BITS) - 1)
            least = np.minimum(least, (salted * (entry + np.uint64(1))).view(np.int64))
        # A negative number modulo 2**64 - 1 is one less than modulo 2**64.
        return (least.view(np.uint64) - (least < 0).astype(np.uint64)).astype(np.uint32)

    def listed(self, width: int, seed: np.uint64) -> npt.NDArray[np.bool_]:
        """Mask (width,) of the green ids, each under its own list."""
        return stela.GreenList.listed(self, width, seed)

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """Add the bias by torch, for arrays too: its sort says which of equally likely ids are candidates."""
        return super().add_bias(scores, seeds, biases, vocab_size)

    def green_ids(self, row: torch.Tensor, seed: np.uint64) -> torch.Tensor:
        """Mask of the likeliest ids that are green, each under its own list."""
        import torch

        likeliest = row.sort(descending=True).indices[: self._candidates]
        ids = likeliest.cpu().numpy()
        green = torch.from_numpy(self.green(np.full(len(ids), seed, dtype=np.uint64), ids))
        mask = torch.zeros(len(row), dtype=torch.bool, device=row.device)
        mask[likeliest] = green.to(row.device)
        return mask
