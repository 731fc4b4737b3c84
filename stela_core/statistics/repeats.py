"""What a pair that a text repeats weighs: rules of the number of its tokens alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

Repeats = Literal["sum", "root", "fourth-root", "mean"]
"""Weight of a pair that n tokens of mean weight w are: w n, w n^(1/2), w n^(1/4) or w."""

EXPONENTS: dict[Repeats, float] = {"sum": 1.0, "root": 0.5, "fourth-root": 0.25, "mean": 0.0}


def shares_of(counts: npt.NDArray[np.int64], rule: Repeats) -> npt.NDArray[np.float64]:
    """What each token of a pair counts, as a factor on its weight; the pair's weight is the sum.

    Args:
        counts: tokens of each pair, (m,), at least 1.
        rule: of :data:`EXPONENTS`.

    Returns:
        (m,): 1 for a pair that occurs once, whatever the rule; no rule looks at key or colours.
    """
    if rule == "sum":
        return np.ones(len(counts))
    n = counts.astype(np.float64)
    return np.asarray(n ** EXPONENTS[rule] / n)
