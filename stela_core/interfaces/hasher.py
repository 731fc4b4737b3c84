"""Hasher: context token ids to a seed, and seed and token id to green or red."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.interfaces.component import Component
from stela_core.parameters import Parameters

if TYPE_CHECKING:
    import torch

    from stela_core.kernels.split import Split


class HasherParameters(Parameters):
    """Share of green tokens and length of the hash context."""

    gamma: float = Field(0.5, gt=0, lt=1)
    """Share of the vocabulary that is green, in (0, 1)."""

    context_width: int = Field(1, ge=1, le=8)
    """Number of preceding token ids that seed the split."""


H_co = TypeVar("H_co", bound=HasherParameters, default=HasherParameters, covariant=True)
"""The class of a hasher's parameters."""


class Hasher(Component, Generic[H_co]):
    """Split the vocabulary into green and red, as a function of key and preceding tokens.

    The definition is integer arithmetic, the same on every machine and device, and one token's
    membership costs O(1). ``green`` is what detection calls (numpy alone); ``add_bias`` is what
    generation calls, and has a slow default that a fast hasher overrides.

    Copy me::

        class Parity(stela.Hasher):
            name = "parity"

            def seeds(self, contexts):
                return (contexts.sum(axis=1) + self.key).astype(np.uint64)

            def green(self, seeds, tokens):
                return (seeds + tokens.astype(np.uint64)) % np.uint64(2) == 0
    """

    kind = "hasher"
    hook = "stela_register_hashers"

    Parameters: ClassVar[type[HasherParameters]] = HasherParameters

    key_in_seed: ClassVar[bool] = False
    """Whether a colour depends on the key through the seed alone. Rows under different keys are then marked
    in one pass; else those of each key by themselves."""

    def __init__(self, parameters: H_co, key: int) -> None:
        self.parameters = parameters
        self.key = key

    @property
    def gamma(self) -> float:
        """Probability that a token is green, over random keys."""
        return self.parameters.gamma

    @property
    def context_width(self) -> int:
        """Number of preceding token ids in a hash context (h)."""
        return self.parameters.context_width

    @abstractmethod
    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of hash contexts (n, context_width), oldest token first."""

    def seeds_of(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of the hash contexts (n, context_width) of these rows of a batch, (n,).

        By default rows are alike; only a batch whose rows have keys of their own tells them apart.
        """
        return self.seeds(contexts)

    @abstractmethod
    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under the seed beside it: (n,), (n,) -> (n,)."""

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """What each colour is drawn from, beside the token: (n,), (n,) -> (n,).

        Where coin and token are equal, the colours are one draw and count as one piece of evidence.
        That is the seed, unless several seeds give a token the same colour for certain.
        """
        return seeds

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width) with ``biases[r]`` added to row r's green ids below ``vocab_size``.

        ``scores`` is left as it was: transformers may hand it out as raw logits.
        """
        import torch

        out = scores.clone()
        tokens = np.arange(vocab_size, dtype=np.int64)
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                mask = self.green(np.full(vocab_size, seed, dtype=np.uint64), tokens)
                out[row, :vocab_size] += bias * torch.from_numpy(mask).to(out.device, out.dtype)
        return out

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """:meth:`add_bias` for logits in a numpy array, without torch; slow here.

        Where a subclass overrides ``add_bias`` and not this, it is not called: ``add_bias`` is, by way of
        torch, so that both mark alike.
        """
        from stela_core.kernels.arrays import raised

        tokens = np.arange(vocab_size, dtype=np.int64)
        rows = zip(seeds, biases, strict=True)
        masks = (self.green(np.full(vocab_size, s, dtype=np.uint64), tokens) if b else None for s, b in rows)
        return raised(scores, masks, biases)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split, for strengths that look at the probability of the green ids first.

        Arguments as for :meth:`add_bias`. Slow here; override it together with ``add_bias``.
        """
        import torch

        from stela_core.kernels.split import MaskSplit

        tokens = np.arange(vocab_size, dtype=np.int64)
        rows = [self.green(np.full(vocab_size, seed, dtype=np.uint64), tokens) for seed in seeds]
        return MaskSplit(scores, torch.from_numpy(np.array(rows)).to(scores.device))
