"""SamplingHasher: marks that choose the token, or reshape its distribution, and raise no green logits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.errors import StelaError
from stela_core.interfaces.hasher import ContextParameters, Hasher
from stela_core.interfaces.law import Law
from stela_core.statistics.sums import dots

if TYPE_CHECKING:
    import torch

    from stela_core.kernels.split import Split


class SamplingParameters(ContextParameters):
    """Length of the hash context; a sampling mark splits no vocabulary."""

    context_width: int = Field(4, ge=0, le=16)
    """Number of preceding token ids that seed the choice of the next token."""


S_co = TypeVar("S_co", bound=SamplingParameters, default=SamplingParameters, covariant=True)
"""The class of a sampling hasher's parameters."""


class SamplingHasher(Hasher[S_co], Generic[S_co]):
    """Mark text by how its tokens are drawn: ``mark`` at insertion, ``draws`` at detection.

    A token's signal is what its draws under the seed come to, ``draws @ law.parts``: large where the mark
    made it likelier. ``draws`` is numpy alone, and O(1) a token.

    Copy me::

        class Gumbel(stela.SamplingHasher):
            name = "my-gumbel"

            def seeds(self, contexts):
                return seeds(self.key, contexts)

            def draws(self, seeds, tokens):
                return -np.log1p(mix(seeds, tokens) / -(2.0**32))[:, None]

            def mark(self, scores, seeds, vocab_size):
                out = torch.full_like(scores, -torch.inf)
                for row, seed in enumerate(seeds):
                    u = torch.from_numpy((mix(seed, np.arange(vocab_size)) + 0.5) / 2**32)
                    out[row, (scores[row, :vocab_size] - torch.log(-torch.log(u))).argmax()] = 0
                return out
    """

    Parameters: ClassVar[type[ContextParameters]] = SamplingParameters

    samples = True

    @property
    def law(self) -> Law:
        """Exp(1), unless a subclass says otherwise."""
        return Law("exponential")

    @property
    def gamma(self) -> float:
        """0.5: no green list, but about half of unmarked text's tokens are :meth:`green` all the same."""
        return 0.5

    @abstractmethod
    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The draws of each token's signal under the seed beside it, (n, parts of the :attr:`law`)."""

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token speaks for the mark, for people to look at: (n,), (n,) -> (n,)."""
        return np.asarray(signal_of(self.draws(seeds, tokens), self.law) > middle_of(self.law))

    @abstractmethod
    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """New scores (rows, width): the logits of the marked distribution.

        A mark that chooses one token leaves it 0 and all others minus infinity. Randomness that no key makes
        comes from torch's global generator, so that ``torch.manual_seed`` repeats a text.

        Args:
            scores: logits (rows, width) that are final: temperature is in them, and what top-k and the like
                leave out is minus infinity. Left as it was.
            seeds: of the rows, (rows,) or (rows, seed_words).
            vocab_size: ids from here on are padding: minus infinity in a marked row.
        """

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """:meth:`mark` for logits in a numpy array; by default by way of torch."""
        from stela_core.kernels.arrays import as_array, as_tensor

        return as_array(self.mark(as_tensor(scores, f'hasher "{self.name}"'), seeds, vocab_size), scores)

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> NoReturn:
        """Refused: a sampling mark is no bias."""
        raise self._no_green_list()

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> NoReturn:
        """Refused: a sampling mark is no bias."""
        raise self._no_green_list()

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Refused: there is no split."""
        raise self._no_green_list()

    def _no_green_list(self) -> StelaError:
        return StelaError(
            f'hasher "{self.name}" chooses tokens: it has no green list to raise.',
            "use it in a scheme that samples (stela.SamplingScheme)",
        )


def signal_of(draws: npt.NDArray[np.float64], law: Law) -> npt.NDArray[np.float64]:
    """What the draws of n tokens come to, (n, parts) -> (n,)."""
    return draws[:, 0] if law.parts == (1.0,) else dots(draws, np.array(law.parts))


def middle_of(law: Law) -> float:
    """What about half of unmarked signals are above: the median, or the mean of a sum of several draws."""
    return log(2) if law.draws == "exponential" and len(law.parts) == 1 else law.mean
