"""Reweighted distributions: cumulative probabilities F in a keyed order become G(F), convex from 0 to 1.

G is ``slope F + sum of rise_i max(F - level_i, 0)``. A token gets G of the sum up to it less G of the sum
before it: later tokens gain what earlier ones lose. Where G'(F) + G'(1 - F) = 2, an order and its reverse
together give the model's distribution, so over random orders the mean is the model's (Hu et al. 2024, section
4.1.2; Wu et al. 2024, DiP-reweight).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Reweighting:
    """A convex function G on [0, 1], piecewise linear."""

    slope: float
    """Slope up to the first level."""
    levels: tuple[float, ...]
    """Points at which it gets steeper, ascending, in [0, 1)."""
    rises: tuple[float, ...]
    """Rises of the slope there."""

    def factors(self, probabilities: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """What each token's probability is multiplied by, (tokens,), float64.

        Args:
            probabilities: of one row, (tokens,), float64.
            numbers: the order, (tokens,), int64 in 0 .. 2**32 - 1, all different.
        """
        import torch

        from stela_unbiased.crossing import Cumulative

        cumulative = Cumulative(probabilities, numbers)
        factors = torch.full_like(probabilities, self.slope)
        for level, rise in zip(self.levels, self.rises, strict=True):
            token, beyond = cumulative.crossing(level)
            factors += rise * (numbers > numbers[token]).to(factors.dtype)
            factors[token] += rise * beyond
        return factors


def gamma_reweighting(strength: float) -> Reweighting:
    """Hu et al.'s gamma-reweight: the first half of the mass times 1 - gamma, the second times 1 + gamma."""
    return Reweighting(1 - strength, (0.5,), (2 * strength,))


def dip_reweighting(alpha: float) -> Reweighting:
    """Wu et al.'s DiP-reweight: nothing up to alpha, once the mass up to 1 - alpha, twice from there on.

    Equal levels (alpha = 1/2) are gamma-reweight at its strongest.
    """
    return Reweighting(0.0, (alpha, 1 - alpha), (1.0, 1.0))
