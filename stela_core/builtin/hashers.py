"""The core's own hasher: keyed BLAKE2b for seeds, a 32-bit mixing function for colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stela_core.hashing import colour, keys
from stela_core.hashing.keys import KnownSeeds
from stela_core.interfaces import GreenList
from stela_core.kernels import fused_bias
from stela_core.kernels.arrays import raised
from stela_core.kernels.many_keys import keyed_sums

if TYPE_CHECKING:
    import torch

    from stela_core.kernels.split import Split


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
        if self.context_width != 1:
            return self.seeds(contexts)
        known = self._known
        if known is None or known.key != self.key:  # a copy under another key
            size = 0 if self._vocabulary is None else len(self._vocabulary)
            known = self._known = KnownSeeds(self.key, size)
        return known.of(contexts, self.seeds)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token's mixed number is below ``floor(gamma * 2**32)``."""
        return colour.green(seeds, tokens, self.gamma)

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Stakes on green tokens, (keys,): all keys' seeds are hashed together."""
        if not self.sums_quickly:  # a class that makes seeds or colours otherwise
            return super().sums_under(keys, contexts, tokens, weights)
        return keyed_sums(self.draws, keys, contexts, tokens, weights)

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width), by one fused pass on a CPU or with Triton, else by torch operations."""
        if fused_bias.suits(scores):
            return fused_bias.add_bias(scores, seeds, biases, vocab_size, self.gamma)
        if scores.dtype.itemsize == 2 and fused_bias.compiled() is not None:
            from stela_core.kernels import bfloat_rows

            if bfloat_rows.suits(scores):
                return bfloat_rows.add_bias(scores, seeds, biases, vocab_size, self.gamma)
        from stela_core.kernels import torch_bias
        from stela_core.kernels.gpu import gpu_kernels

        if kernels := gpu_kernels(scores):
            return kernels.add_bias(scores, seeds, biases, vocab_size, self.gamma)
        return torch_bias.add_bias(scores, seeds, biases, vocab_size, self.gamma)

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch: by one fused pass, or else by numpy operations."""
        if fused_bias.suits_array(scores):
            return fused_bias.add_bias_to_array(scores, seeds, biases, vocab_size, self.gamma)
        rows = zip(seeds, biases, strict=True)
        lists = (colour.green_list(s, vocab_size, self.gamma) if b else None for s, b in rows)
        return raised(scores, lists, biases)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split, by a fused pass on a CPU or with Triton, else by torch operations."""
        from stela_core.kernels import torch_bias
        from stela_core.kernels.gpu import gpu_kernels
        from stela_core.kernels.split import FusedSplit, MaskSplit

        if fused_bias.suits(scores):
            return FusedSplit(scores, seeds, vocab_size, self.gamma)
        if kernels := gpu_kernels(scores):
            return kernels.split(scores, seeds, vocab_size, self.gamma)
        return MaskSplit(scores, torch_bias.green(seeds, vocab_size, self.gamma, scores.device))
