"""A token's number to its signal, whose tail over random keys is at most that of Exp(1), to the last bin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

DOWN = 1 - 2.0**-50
"""A library's logarithm is off by a few units in the last place: less than this takes off."""


def signals_of(numbers: npt.NDArray[np.unsignedinteger], bits: int) -> npt.NDArray[np.float64]:
    """``-log(1 - x / 2**bits)`` of numbers x in 0 .. 2**bits - 1, rounded down; shaped like them.

    A uniform X is at least x with probability ``1 - x / 2**bits``, so that ``P(signal >= s) <= exp(-s)`` for
    every s. The engines score a number a little farther up in its bin (SGLang at x + 1/2), where that does
    not hold: their last bins would give a p-value that is too small.
    """
    signals: npt.NDArray[np.float64] = -np.log1p(numbers * -(2.0**-bits)) * DOWN
    return signals
