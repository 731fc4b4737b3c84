"""Keyed numbers to exponential draws, rounded down: what p-values of marks that choose tokens rest on.

A draw of this file never exceeds its law, ``P(draw >= v) <= exp(-v)`` for every v, to the last bin: numbers
are taken at the lower end of their bins, and a library's logarithm, off by a few units in the last place, has
more than that taken off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_DOWN = 1 - 2.0**-50
"""The factor that rounds logarithms down."""

_RANGE = 2.0**32


def exponential_draws(
    numbers: npt.NDArray[np.unsignedinteger[Any]], bits: int = 32
) -> npt.NDArray[np.float64]:
    """``-log(1 - x / 2**bits)`` of numbers x in 0 .. 2**bits - 1, rounded down; shaped like them.

    A uniform X is at least x with probability ``1 - x / 2**bits``. Engines score a number farther up in its
    bin (SGLang at x + 1/2): their last bins are likelier than they stand for.
    """
    return np.asarray(-np.log1p(numbers * -(2.0**-bits)) * _DOWN)


def nearness_draws(drawn: npt.NDArray[np.uint32], fixed: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    """How near two 32-bit numbers are, (n,), (n,) -> (n,): exponential where ``drawn`` is uniform.

    It is -log of the share of all 2**32 numbers that are no farther from ``fixed`` than ``drawn`` is, rounded
    down, whatever ``fixed`` is.
    """
    at = fixed.astype(np.int64)
    apart = np.abs(drawn.astype(np.int64) - at)
    last = (1 << 32) - 1
    as_near = np.minimum(at + apart, last) - np.maximum(at - apart, 0) + 1
    return np.asarray(-np.log(as_near / _RANGE) * _DOWN)
