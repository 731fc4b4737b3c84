"""Weights to few distinct values, which are chosen only from the weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.api import dot

_KEPT = 64
"""So many distinct weights are kept as they are."""

_EQUAL = 1e-9
"""Relative distance of two weights that are one (floating-point sums of equal weights)."""

_STEPS = 24
"""Values in the root mean square, about, and in every factor of e above it."""


def quantize(
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Values (d,) and the place (n,) in them of each weight's value; proportional to the weights, or nearly.

    Where there are more than 64 distinct weights, they are rounded to the grid ``rms sinh(k / 24)``, k = 0,
    1, ..: even below the root mean square, geometric above it. A rounding error is at most 1/48 of
    ``sqrt(rms^2 + w^2)``, which adds about 1/3500 to the sum of squares, whatever the spread of the weights.
    As none is above ``sqrt(n) rms``, d is at most ``24 asinh(sqrt(n)) + 2``: 82 for 200 weights, 156 for
    100,000.

    Args:
        weights: (n,) with n >= 1, all finite and above 0; any scale.

    Returns:
        Values, ascending, of which the first may be 0 (of weights below rms / 48) and some may be of
        no weight, and places.
    """
    shares = weights / weights.max()
    ordered = np.sort(shares)
    new = np.empty(len(ordered), dtype=np.bool_)
    new[0] = True
    np.greater(ordered[1:], ordered[:-1] * (1 + _EQUAL), out=new[1:])
    if np.count_nonzero(new) <= _KEPT:
        values = ordered[new]
        # A run of nearly equal weights is its smallest.
        return values, np.searchsorted(values, shares, side="right") - 1
    spread = float(np.sqrt(dot(shares, shares) / len(shares)))
    # The nudge keeps ties, which structured weights have, from depending on the last bit of the scale.
    places = (np.arcsinh(shares / spread) * _STEPS + (0.5 + 1e-7)).astype(np.int64)
    return spread * np.sinh(np.arange(int(places.max()) + 1) / _STEPS), places
