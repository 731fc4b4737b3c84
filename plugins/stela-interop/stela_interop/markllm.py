"""MarkLLM's green lists: a permutation of the vocabulary (KGW, MorphMark) or none (SWEET, EWD) seeds them."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from stela_interop.randperm import RandpermHasher, RandpermParameters
from stela_interop.shuffles import permutation


class MarkLlmParameters(RandpermParameters):
    """Parameters of MarkLLM's KGW and those like it, with "left" windows."""

    context_width: int = Field(1, ge=1, le=8)
    """MarkLLM's ``prefix_length``."""

    f_scheme: Literal["time", "additive", "skip", "min", "product"] = "time"
    """How the ids of the context become one; ``product`` is what SWEET and EWD do."""


class MarkLlm(RandpermHasher):
    """``manual_seed(key * f % vocab_size)``, with P = ``randperm(vocab_size)`` seeded with the key.

    f is P[product of the ids] (time), P[their sum] (additive), P[the oldest] (skip) or the least of
    P[each] (min); product and sum modulo ``vocab_size``. For ``product`` the seed is the key times the
    product modulo ``vocab_size``.
    """

    name = "interop-markllm"
    Parameters = MarkLlmParameters

    def __init__(self, parameters: MarkLlmParameters, key: int) -> None:
        super().__init__(parameters, key)
        self._scheme = parameters.f_scheme

    @cached_property
    def _permutation(self) -> npt.NDArray[np.int64]:
        return permutation(self.key, self.vocab_size)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds of the generator, (n, context_width) -> (n,)."""
        size = self.vocab_size
        product = np.ones(len(contexts), dtype=np.int64)
        for column in contexts.T:
            product = product * (column % size) % size
        if self._scheme == "product":
            # Modulo 2^64, of which the generator takes the low half: that is the product's own.
            return np.uint64(self.key) * product.astype(np.uint64)
        order = self._permutation
        if self._scheme == "time":
            permuted = order[product]
        elif self._scheme == "additive":
            permuted = order[contexts.sum(axis=1) % size]
        elif self._scheme == "skip":
            permuted = order[contexts[:, 0] % size]
        else:
            permuted = order[contexts % size].min(axis=1)
        # Below size**2, which 64 bits hold; the key is longer, so it is reduced first.
        return (self.key % size * permuted % size).astype(np.uint64)
