"""gamma-reweight and DiPmark: probability moves to the later tokens of a keyed order."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

import stela_core as stela
from stela_core.api import mix
from stela_unbiased.permuted import PermutedHasher, PermutedParameters
from stela_unbiased.reweight import Reweighting, dip_reweighting, gamma_reweighting

if TYPE_CHECKING:
    import torch


class LaterParameters(PermutedParameters):
    """What counts as later."""

    separator: float = Field(0.5, ge=0.001, le=0.999)
    """Share of the vocabulary that comes before the tokens that count as evidence (DiPmark's gamma)."""


L_co = TypeVar("L_co", bound=LaterParameters, default=LaterParameters, covariant=True)


class LaterHasher(PermutedHasher[L_co]):
    """Convex reweighting; the signal of a token is whether it is in the later part of the order.

    The later part is that of the vocabulary, ``x >= floor(separator * 2**32)``: it is known without the
    model. A count of such tokens is DiPmark's test; here with its exact binomial tail.
    """

    @property
    @abstractmethod
    def reweighting(self) -> Reweighting:
        """What becomes of the cumulative distribution."""

    @property
    def _threshold(self) -> int:
        return int(self.parameters.separator * 4294967296.0)

    @property
    def gamma(self) -> float:
        """Share of the numbers that count: exactly that of the integers, near 1 - separator."""
        return (4294967296 - self._threshold) / 4294967296.0

    @property
    def law(self) -> stela.Law:
        """Bernoulli: a token is in the later part, or it is not."""
        return stela.Bernoulli(self.gamma)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """1 where a token is in the later part, else 0, (n, 1)."""
        return (mix(seeds, tokens) >= np.uint32(self._threshold)).astype(np.float64)[:, None]

    def log_factors(self, logs: torch.Tensor, numbers: torch.Tensor, seed: int) -> torch.Tensor:
        """Logarithms of the factors of the convex reweighting."""
        return self.reweighting.factors(logs.exp(), numbers).log()


class GammaParameters(LaterParameters):
    """Parameters of gamma-reweight: also how much of the earlier half moves."""

    strength: float = Field(1.0, gt=0, le=1)
    """Share of the earlier half's probability that moves to the later half (gamma of Hu et al.)."""


class GammaHasher(LaterHasher[GammaParameters]):
    """gamma-reweight (Hu et al. 2024)."""

    name = "unbiased-gamma"

    @property
    def reweighting(self) -> Reweighting:
        """The reweighting towards the half with the more probability."""
        return gamma_reweighting(self.parameters.strength)


class DipParameters(LaterParameters):
    """Parameters of DiP-reweight: also how much of the order's ends moves."""

    alpha: float = Field(0.45, ge=0.001, le=0.5)
    """Probability mass at the start of the order that moves to its end."""


class DipHasher(LaterHasher[DipParameters]):
    """DiP-reweight (Wu et al. 2024)."""

    name = "unbiased-dip"

    @property
    def reweighting(self) -> Reweighting:
        """The reweighting of the two levels alpha and 1 - alpha."""
        return dip_reweighting(self.parameters.alpha)
