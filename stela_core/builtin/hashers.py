"""The core's own hasher: keyed BLAKE2b for seeds, a 32-bit mixing function for colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stela_core.catalogue import mark_kernels
from stela_core.hashing import colour, keys
from stela_core.hashing.keys import KnownSeeds
from stela_core.interfaces import GreenList
from stela_core.interfaces.green_list import Split

if TYPE_CHECKING:
    import torch


class KeyedHasher(GreenList):
    """Portable split of the vocabulary: the same on numpy, torch and any device, for ever.

    Seeds are defined in ``hashing/keys.py``, colours in ``hashing/colour.py``.
    """

    name = "keyed"
    key_in_seed = True
    draws_mix = True
    _known: KnownSeeds | None = None

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keys.keyed_seeds(self.key, contexts)

    def seeds_of(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """:meth:`seeds`, looked up where a context is one id: a step's rows have ids that came before."""
        if self.parameters.context_width != 1:
            return self.seeds(contexts)
        known = self._known
        if known is None or known.key != self.key:  # a copy under another key
            size = 0 if self._vocabulary is None else len(self._vocabulary)
            known = self._known = KnownSeeds(self.key, size)
        return known.of(contexts, self.seeds)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token's mixed number is below ``floor(gamma * 2**32)``."""
        return colour.green(seeds, tokens, self.gamma)

    def listed(self, size: int, seed: Any) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids of a seed, mixed in blocks."""
        return colour.green_list(seed, size, self.gamma)

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Stakes on green tokens, (keys,): all keys' seeds are hashed together, where stela-kernels is."""
        kernels = mark_kernels()
        if kernels is None or not self.sums_quickly:  # a class that makes seeds or colours otherwise
            return super().sums_under(keys, contexts, tokens, weights)
        sums: npt.NDArray[np.float64] = kernels.keyed_sums(self.draws, keys, contexts, tokens, weights)
        return sums

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width), by stela-kernels, or row by row with masks that numpy makes."""
        if kernels := mark_kernels():
            out: torch.Tensor = kernels.add_bias(scores, seeds, biases, vocab_size, self.gamma)
            return out
        return super().add_bias(scores, seeds, biases, vocab_size)

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch: by one fused pass of stela-kernels, or by numpy."""
        kernels = mark_kernels()
        if kernels is not None and kernels.suits_array(scores):
            out: npt.NDArray[Any] = kernels.add_bias_to_array(scores, seeds, biases, vocab_size, self.gamma)
            return out
        return super().add_bias_to_array(scores, seeds, biases, vocab_size)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split, by stela-kernels."""
        kernels = mark_kernels("the probability of green tokens")
        split: Split = kernels.split(scores, seeds, vocab_size, self.gamma)
        return split
