"""Weights to whole multiples of a unit, chosen only from the weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_EXACT_RATIO = 1e-9
"""Relative distance from a whole multiple that counts as one (floating-point sums of equal weights)."""

_EXACT_TOTAL = 1 << 17
"""Largest lattice, in units, on which whole multiples are kept exact."""

_FINE = 1 << 15
"""Units in the sum of the weights, where the bounds below allow it."""

_FINEST = 4096
"""Units in the largest weight, at most."""

_COARSEST = 16
"""Units in the root mean square weight, at least."""


def to_lattice(weights: npt.NDArray[np.float64], units: int = _FINE) -> npt.NDArray[np.int64]:
    """Whole numbers (n,) proportional to positive weights (n,), exactly or nearly.

    Weights that are multiples of the smallest one become those multiples. Others are rounded to a
    unit of about the sum over 2**15, at least the largest weight over 4096 and at most the root mean
    square over 16: the rounding then adds less than 1/3000 to the sum of squares, whatever the spread
    of the weights, and a weight can round to 0 only if it is below 1/32 of the root mean square.

    The result does not depend on the order of the weights or, but for the last bits, on their scale.

    Args:
        weights: (n,) with n >= 1, all finite and above 0.
        units: what the sum of the weights should have, where the bounds allow it; 1: as few as can be.
    """
    ordered = np.sort(weights)
    largest = float(ordered[-1])
    # The ratio is looked at first: that of the largest float to the smallest overflows.
    if largest / 2 <= _EXACT_TOTAL * float(ordered[0]):
        exact = weights / float(ordered[0])
        whole = np.rint(exact)
        if np.abs(exact - whole).max() <= _EXACT_RATIO * exact.max() and whole.sum() <= _EXACT_TOTAL:
            return whole.astype(np.int64)
    shares = ordered / largest
    spread = float(np.sqrt(np.mean(shares * shares)))
    unit = min(max(float(shares.sum()) / units, 1 / _FINEST), spread / _COARSEST)
    # The nudge keeps ties, which structured weights have, from depending on the last bit of the scale.
    return np.floor(weights / largest / unit + (0.5 + 1e-7)).astype(np.int64)
