"""GreenList: marks that split the vocabulary into green and red, and raise the logits of green tokens."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.catalogue import mark_kernels
from stela_core.interfaces.hasher import ContextParameters, Hasher
from stela_core.statistics.law import Bernoulli, Law

if TYPE_CHECKING:
    import torch


class HasherParameters(ContextParameters):
    """Share of green tokens and length of the hash context."""

    gamma: float = Field(0.5, gt=0, lt=1)
    """Share of the vocabulary that is green, in (0, 1)."""

    context_width: int = Field(1, ge=1, le=8)
    """Number of preceding token ids that seed the split."""


class Split(Protocol):
    """The vocabulary split for each row of a step: the green ids' mass is read before the bias is known."""

    @property
    def green_mass(self) -> npt.NDArray[np.float64]:
        """Probability of the green ids below the vocabulary's size in each row, (rows,)."""

    def add_bias(self, biases: Sequence[float]) -> torch.Tensor:
        """New scores with ``biases[r]`` added to row r's green ids; to be called once."""


G_co = TypeVar("G_co", bound=ContextParameters, default=HasherParameters, covariant=True)
"""The class of a green list's parameters."""


class GreenList(Hasher[G_co], Generic[G_co]):
    """Split the vocabulary into green and red, as a function of key and preceding tokens.

    ``green`` is what detection calls; ``add_bias`` is what generation calls, and has a slow default that a
    fast mark overrides.

    Copy me::

        class Parity(stela.GreenList):
            name = "parity"

            def seeds(self, contexts):
                return (contexts.sum(axis=1) + self.key).astype(np.uint64)

            def green(self, seeds, tokens):
                return (seeds + tokens.astype(np.uint64)) % np.uint64(2) == 0
    """

    Parameters: ClassVar[type[ContextParameters]] = HasherParameters

    by_torch: ClassVar[bool] = False
    """Whether logits in numpy arrays are marked by ``add_bias``, as a tensor, too. A class that overrides
    ``add_bias`` and not ``add_bias_to_array`` says so by that: both ways mark alike."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        ways = {"by_torch", "add_bias", "add_bias_to_array"}
        says = next(base for base in cls.__mro__ if ways & vars(base).keys())
        if "by_torch" not in vars(says):
            cls.by_torch = "add_bias_to_array" not in vars(says)

    @property
    def gamma(self) -> float:
        """Probability that a token is green, over random keys."""
        gamma: float = getattr(self.parameters, "gamma")  # noqa: B009 (of parameters of another base)
        return gamma

    @property
    def law(self) -> Law:
        """One draw a token, 1 with probability gamma."""
        return Bernoulli(self.gamma)

    @abstractmethod
    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under its seed: (n,), (n,) -> (n,)."""

    def colours(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.bool_], None]:
        """The colour is the draw."""
        return self.green(seeds, tokens), None

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The colours as numbers, (n, 1)."""
        return self.green(seeds, tokens).astype(np.float64)[:, None]

    def listed(self, size: int, seed: Any) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids of a seed, one word or (words,); override it to make it at once."""
        seeds = np.repeat(np.asarray(seed, dtype=np.uint64)[None], size, axis=0)
        return self.green(seeds, np.arange(size, dtype=np.int64))

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
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                # Of float32: in 16-bit types the sum is made in it, and rounded once.
                shifts = torch.from_numpy(self.listed(vocab_size, seed) * np.float32(bias))
                out[row, :vocab_size] = scores[row, :vocab_size] + shifts.to(out.device)
        return out

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """:meth:`add_bias` for logits in a numpy array, without torch; slow here.

        It is not called where the class marks :attr:`by_torch`.
        """
        rows = zip(seeds, biases, strict=True)
        return raised(scores, (self.listed(vocab_size, s) if b else None for s, b in rows), biases)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split, for strengths that look at the probability of the green ids first.

        Arguments as for :meth:`add_bias`. Slow here, and needs stela-kernels; override
        it together with ``add_bias``.
        """
        masks = np.array([self.listed(vocab_size, seed) for seed in seeds]).reshape(len(seeds), vocab_size)
        split: Split = mark_kernels("the probability of green tokens").mask_split(scores, masks)
        return split


def raised(
    scores: npt.NDArray[Any], masks: Iterable[npt.NDArray[np.bool_] | None], biases: Sequence[float]
) -> npt.NDArray[Any]:
    """New scores with ``biases[r]`` added to row r where its mask says so.

    Args:
        scores: (rows, width), any floating-point type; left as it was.
        masks: for each row green ids, (at most width,), or ``None`` for a row that is copied.
        biases: (rows,), in nats. In 16-bit types the sum is made in float32 and rounded once.
    """
    out = scores.copy()
    shifts = np.asarray(biases, dtype=np.float32)
    for row, mask in enumerate(masks):
        if mask is not None:
            # A sum without a choice: many times faster than to take the one or the other.
            out[row, : len(mask)] = scores[row, : len(mask)] + mask * shifts[row : row + 1]
    return out
