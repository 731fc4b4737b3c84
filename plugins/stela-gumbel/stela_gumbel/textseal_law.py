"""The law of a token's two draws, one function at a fixed distance (``philox/textseal_hash.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.exponential import Exponential


@dataclass(frozen=True)
class Paired(Exponential):
    """A weighted sum of two Exp(1) that may correlate: a1 X + a2 Y, a1 + a2 = 1.

    Its variance is a1^2 + a2^2 + 2 a1 a2 rho. The tail taken is that of m X + (1 - m) Y', X and Y'
    independent, m such that mean and variance are the same: the true one where rho is 0, and where it is 1.
    """

    correlation: float = 0.0
    """rho, where it is above 0: pairs that correlate the other way are taken to be independent."""

    @property
    def matched(self) -> tuple[float, float]:
        """M and 1 - m, the larger first."""
        first, second = self.parts
        squares = first * first + second * second + 2 * first * second * self.correlation
        larger = (1 + sqrt(max(0.0, 2 * squares - 1))) / 2
        return larger, 1 - larger

    def tail(self, draws: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], split: bool) -> float:
        """The p-value of draws (2 n,), the two of a token next to each other."""
        of_tokens = weights[0::2] + weights[1::2]
        everything = float(of_tokens.sum())
        if self.correlation == 0 or everything == 0:
            return super().tail(draws, weights, split)
        null = np.multiply.outer(of_tokens, np.array(self.matched)).ravel()
        # The tail knows the sum alone: the same, shared out evenly.
        return super().tail(np.full(len(null), float((draws * weights).sum()) / everything), null, split)
