"""SamplingHasher: marks that choose the token, or reshape its distribution, and raise no green logits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.catalogue import lent, mark_kernels
from stela_core.interfaces.hasher import ContextParameters, Hasher
from stela_core.statistics.law import Law

if TYPE_CHECKING:
    import torch


class SamplingParameters(ContextParameters):
    """Length of the hash context; a sampling mark splits no vocabulary."""

    context_width: int = Field(4, ge=0, le=16)
    """Number of preceding token ids that seed the choice of the next token."""


S_co = TypeVar("S_co", bound=SamplingParameters, default=SamplingParameters, covariant=True)
"""The class of a choice's parameters."""


class SamplingHasher(Hasher[S_co], Generic[S_co]):
    """Mark text by how its tokens are drawn: ``mark`` at insertion, ``draws`` at detection.

    A token's signal is what its draws under the seed come to, ``draws @ law.parts``: large where the mark
    made it likelier.

    Copy me::

        import numpy as np
        import stela_core as stela
        from stela_core.api import keyed_seeds, mix

        class Gumbel(stela.SamplingHasher):
            name = "my-gumbel"

            def seeds(self, contexts):
                return keyed_seeds(self.key, contexts)

            def draws(self, seeds, tokens):
                return -np.log1p(mix(seeds, tokens) / -(2.0**32))[:, None]

            def mark(self, scores, seeds, vocab_size):
                import torch
                out = torch.full_like(scores, -torch.inf)
                for row, seed in enumerate(seeds):
                    u = torch.from_numpy((mix(seed, np.arange(vocab_size)) + 0.5) / 2**32)
                    out[row, (scores[row, :vocab_size] - torch.log(-torch.log(u))).argmax()] = 0
                return out
    """

    Parameters: ClassVar[type[ContextParameters]] = SamplingParameters

    samples = True

    @property
    def gains(self) -> Mapping[str, tuple[float, float, float, float]]:
        """What signals of marked text show, by model, for the expected power; none by default.

        In standard deviations of unmarked signals: the mean above theirs, the standard deviation of a token's
        signal, and that of means over texts without chance; then the skewness of an unmarked signal.
        """
        return {}

    @property
    def law(self) -> Law:
        """Exp(1), as a library lends it, unless a subclass says otherwise."""
        law: Law = lent("Exponential", f'hasher "{self.name}"')()
        return law

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
        kernels = mark_kernels(needed_for := f'hasher "{self.name}"')
        marked = self.mark(kernels.as_tensor(scores, needed_for), seeds, vocab_size)
        array: npt.NDArray[Any] = marked.numpy().astype(scores.dtype, copy=False)
        return array
