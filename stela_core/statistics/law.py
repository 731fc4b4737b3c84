"""Law: how a token's signal is distributed on unmarked text, over random keys, and the tail of many."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.p_value import least_tail, split_tail_probability, tail_probability
from stela_core.statistics.sums import dot, dots

Floats = npt.NDArray[np.float64]


class Law(ABC):
    """Distribution of one token's signal: a weighted sum of independent draws, all distributed alike.

    A subclass says how one draw is distributed and what the tail of a weighted sum of many is. Nothing else
    has to be known of a new kind of signal: statistic, p-value and verdict rest only on this class.

    Copy me (draws that are 1 or -1, and the bound of Hoeffding 1963)::

        class Signs(stela.Law):
            draws = "signs"
            draw_mean = 0.0
            draw_variance = 1.0
            largest = 1.0

            def survival(self, value):
                return 1.0 if value <= -1 else 0.5 if value <= 1 else 0.0

            def tail(self, draws, weights, split):
                total, squares = float(weights @ draws), float(weights @ weights)
                return max(1e-300, math.exp(-total * total / 2 / squares)) if total > 0 else 1.0
    """

    draws: ClassVar[str]
    """What one draw is, by name: what of the law is data, for whoever has a table for each kind of mark."""

    @property
    def parts(self) -> tuple[float, ...]:
        """Weight of each draw of a token, above 0."""
        return (1.0,)

    @property
    @abstractmethod
    def draw_mean(self) -> float:
        """Mean of one draw."""

    @property
    @abstractmethod
    def draw_variance(self) -> float:
        """Variance of one draw."""

    @abstractmethod
    def survival(self, value: float) -> float:
        """P(draw >= ``value``)."""

    @abstractmethod
    def tail(self, draws: Floats, weights: Floats, split: bool) -> float:
        """P(weighted sum of m independent draws at least as large as this one), a valid p-value.

        Over random draws, and whatever the weights, ``P(p <= a) <= a``. It never grows with a draw.

        Args:
            draws: (m,), in an order that does not depend on them.
            weights: of the draws, (m,), finite and at least 0.
            split: equal sums may be ordered by the order of the draws.

        Returns:
            p in [1e-300, 1]; 1.0 where no draw has weight.
        """

    def ordering_weights(self, weights: Floats) -> Floats | None:
        """Weights (m,) whose sum with the draws orders tails: the larger the sum, the smaller the tail.

        Sums of other draws by the same weights are compared, as those under other keys are. Equal sums may
        have other tails, and so may sums that differ by less than a millionth. ``None``, the default: nothing
        is known of that.

        Args:
            weights: as for :meth:`tail`.
        """
        return None

    @property
    def largest(self) -> float:
        """The largest draw that there is; infinity where there is none."""
        return math.inf

    @property
    def is_green_list(self) -> bool:
        """Whether the signal is a colour: one draw of a token that is 1 or 0."""
        return False

    @property
    def middle(self) -> float:
        """What about half of unmarked signals are above: those tokens are shown as green."""
        return self.mean

    @property
    def share_above(self) -> float:
        """About what share of unmarked signals are above the :attr:`middle`."""
        return 0.5

    @property
    def mean(self) -> float:
        """Mean of a token's signal."""
        return self.draw_mean * sum(self.parts)

    @property
    def variance(self) -> float:
        """Variance of a token's signal."""
        return self.draw_variance * sum(part * part for part in self.parts)

    def signal(self, draws: Floats) -> Floats:
        """What the draws of n tokens come to, (n, parts) -> (n,)."""
        return draws[:, 0] if self.parts == (1.0,) else dots(draws, np.array(self.parts))

    def z(self, signal: Floats, weights: Floats) -> float:
        """Standardised weighted sum of signals (n,), by weights (n,) of at least 0; 0.0 without weight."""
        largest = float(weights.max()) if len(weights) else 0.0
        if largest == 0.0:
            return 0.0
        # In units of the largest weight nothing under- or overflows when squared.
        shares = weights / largest
        return dot(shares, signal - self.mean) / math.sqrt(self.variance * dot(shares, shares))

    def p_value(self, draws: Floats, weights: Floats, split: bool) -> float:
        """:meth:`tail` of n tokens with draws (n, parts) and weights (n,); a draw counts both its weights."""
        return self.tail(draws.ravel(), self.of_draws(weights), split)

    def least_p(self, weights: Floats) -> float:
        """The smallest :meth:`p_value` that n tokens of these weights, (n,), could have."""
        return self.least_tail(self.of_draws(weights))

    def least_tail(self, weights: Floats) -> float:
        """The smallest :meth:`tail` of draws of these weights, (m,): by default that of the largest draws."""
        return self.tail(np.full(len(weights), self.largest), weights, split=False)

    def of_draws(self, weights: Floats) -> Floats:
        """What each draw of n tokens counts, (n,) -> (n x parts,)."""
        return np.asarray(np.multiply.outer(weights, np.array(self.parts)).ravel())


@dataclass(frozen=True)
class Bernoulli(Law):
    """Each draw is 1 or 0: one a token, green or red, as of a green list, or several of different weights."""

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

    def tail(self, draws: Floats, weights: Floats, split: bool) -> float:
        """The exact tail of a weighted sum of coins."""
        return (split_tail_probability if split else tail_probability)(draws > 0, weights, self.gamma)

    def ordering_weights(self, weights: Floats) -> Floats | None:
        """Weights of the lattice, (m,)."""
        whole = np.zeros(len(weights))
        positive = weights > 0
        if positive.any():
            whole[positive] = to_lattice(weights[positive])
        return whole

    def least_tail(self, weights: Floats) -> float:
        """``gamma ** m``, of all draws 1: the m that have weight on the lattice."""
        return least_tail(weights, self.gamma)
