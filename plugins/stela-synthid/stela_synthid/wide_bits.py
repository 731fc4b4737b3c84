"""The law of a tournament whose bits are not independent: their sums vary more than those of coins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_synthid.layered_bits import SMALLEST, LayeredBits, log_bits_tail


@dataclass(frozen=True)
class WideBits(LayeredBits):
    """The tail of independent bits at an excess over the mean that is divided by ``sqrt(spread)``."""

    spread: float = 1.0
    """Variance of a text's sum over random keys, over that of independent bits: at least 1."""

    def tail(self, draws: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], split: bool) -> float:
        """The p-value of bits, each with its weight; ties are not split."""
        positive = weights > 0
        if not positive.any():
            return 1.0
        lattice = self.to_lattice(weights[positive], units=1)
        return self._tail(lattice, int(lattice @ (draws[positive] > 0)))

    def least_tail(self, weights: npt.NDArray[np.float64]) -> float:
        """The :meth:`tail` of bits that are all 1."""
        return self.tail(np.ones(len(weights)), weights, split=False)

    def _tail(self, lattice: npt.NDArray[np.int64], observed: int) -> float:
        mean = self.gamma * int(lattice.sum())
        if observed > mean:
            observed = math.floor(mean + (observed - mean) / math.sqrt(self.spread))
        counts = np.bincount(lattice)
        values = np.flatnonzero(counts)
        values = values[values > 0]
        log_p = log_bits_tail(values, counts[values], observed, self.gamma)
        return min(1.0, max(SMALLEST, math.exp(max(-700.0, log_p))))
