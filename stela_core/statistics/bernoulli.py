"""Bernoulli: the law of green lists and of marks with several bits for each token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.law import Law
from stela_core.statistics.p_value import least_tail, split_tail_probability, tail_probability


@dataclass(frozen=True)
class Bernoulli(Law):
    """Each draw is 1 or 0: one a token (green or red), or several of different weights."""

    draws: ClassVar[str] = "bernoulli"

    gamma: float = 0.5
    """Probability that a draw is 1."""
    parts: tuple[float, ...] = (1.0,)
    """Weight of each draw of a token, above 0."""

    to_lattice = staticmethod(to_lattice)
    """:func:`.lattice.to_lattice`: what a tail is that of."""

    @property
    def draw_mean(self) -> float:
        """Gamma."""
        return self.gamma

    @property
    def draw_variance(self) -> float:
        """``gamma (1 - gamma)``."""
        return self.gamma * (1 - self.gamma)

    @property
    def largest(self) -> float:
        """1."""
        return 1.0

    @property
    def is_green_list(self) -> bool:
        """Whether a token has one draw, of weight 1."""
        return self.parts == (1.0,)

    @property
    def share_above(self) -> float:
        """Gamma, of colours."""
        return self.gamma if self.is_green_list else 0.5

    def survival(self, value: float) -> float:
        """Gamma above 0, up to 1."""
        return 1.0 if value <= 0 else self.gamma if value <= 1 else 0.0

    def tail(self, draws: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], split: bool) -> float:
        """The exact tail of a weighted sum of coins."""
        return (split_tail_probability if split else tail_probability)(draws > 0, weights, self.gamma)

    def ordering_weights(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
        """Weights of the lattice, (m,)."""
        whole = np.zeros(len(weights))
        positive = weights > 0
        if positive.any():
            whole[positive] = to_lattice(weights[positive])
        return whole

    def least_tail(self, weights: npt.NDArray[np.float64]) -> float:
        """``gamma ** m``, of all draws 1: the m that have weight on the lattice."""
        return least_tail(weights, self.gamma)
