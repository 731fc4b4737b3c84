"""A hasher whose splits are even inside clusters of tokens; plugins say which clusters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from stela_kernels.fused_bias import suits, suits_array
from stela_kernels.split import MaskSplit

from stela_clusters import balanced
from stela_clusters.balanced import Clusters
from stela_core import StelaError
from stela_core.api import KeyedHasher, Vocabulary

if TYPE_CHECKING:
    import torch


class BalancedHasher(KeyedHasher):
    """The core's portable split, made even inside each cluster: see ``balanced.py``.

    A subclass says what the clusters of a vocabulary are. Clusters may not depend on the key.
    """

    _clusters: Clusters | None = None

    @abstractmethod
    def find_clusters(self, tokens: Vocabulary) -> Clusters:
        """The clusters among these ids."""

    def under(self, key: int) -> Self:
        """The same clusters under another key."""
        other = copy(self)
        other.key = key
        return other

    def bind(self, tokens: Vocabulary) -> None:
        """Find the clusters of the vocabulary, before the first colour is asked for."""
        super().bind(tokens)
        self._clusters = self.find_clusters(tokens).below(len(tokens))

    @property
    def clusters(self) -> Clusters:
        """The clusters of the vocabulary.

        Raises:
            StelaError: :meth:`bind` was not called.
        """
        if self._clusters is None:
            raise StelaError(f'hasher "{self.name}" has no vocabulary yet.', "call bind(tokens) first")
        return self._clusters

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is among the green ones of its cluster, or green by itself."""
        return balanced.green(seeds, tokens, self.gamma, self.clusters)

    def listed(self, size: int, seed: Any) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids of a seed."""
        return balanced.green_row(seed, size, self.gamma, self.clusters)

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """The first token, and its repeats, of each pair of seed and cluster; all that are in no cluster."""
        return balanced.first_of_pairs(seeds, tokens, self.clusters)

    def add_bias(
        self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], biases: Sequence[float], vocab_size: int
    ) -> torch.Tensor:
        """New scores (rows, width): compiled on a CPU, by masks elsewhere."""
        if suits(scores):
            import torch

            return torch.from_numpy(self.add_bias_to_array(scores.numpy(), seeds, biases, vocab_size))
        return self.split(scores, seeds, vocab_size).add_bias(biases)

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch."""
        if suits_array(scores):
            from stela_clusters.compiled_rows import write_clusters

            out = super().add_bias_to_array(scores, seeds, biases, vocab_size)
            write_clusters(scores, out, seeds, biases, vocab_size, self.gamma, self.clusters)
            return out
        return super().add_bias_to_array(scores, seeds, biases, vocab_size)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> MaskSplit:
        """Each row's split, by a mask."""
        import torch

        masks = np.array([self.listed(vocab_size, seed) for seed in seeds]).reshape(len(seeds), vocab_size)
        return MaskSplit(scores, torch.from_numpy(masks).to(scores.device))
