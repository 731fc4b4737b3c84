"""The weighted z statistic of green flags."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stela_core.statistics.sums import dot


def z_score(green: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float) -> float:
    """Standardised weighted count of green coins.

    ``(sum w I - gamma sum w) / sqrt(gamma (1 - gamma) sum w**2)``: the detection formula z' of STELA
    (Park et al., ACL 2026, section 4; weights lambda), and with equal weights equation 3 of KGW
    (Kirchenbauer et al., ICML 2023). Over tokens it is the papers' statistic; over groups of
    repeated pairs with summed weights its standard deviation on unmarked text is 1.

    Args:
        green: colours of n independent coins, (n,).
        weights: their weights, (n,), finite and at least 0.
        gamma: probability that a coin is green, in (0, 1).

    Returns:
        z; 0.0 where no coin has weight.
    """
    largest = float(weights.max()) if len(weights) else 0.0
    if largest == 0.0:
        return 0.0
    # In units of the largest weight nothing under- or overflows when squared.
    shares = weights / largest
    excess = float(shares[green].sum()) - gamma * float(shares.sum())
    return excess / math.sqrt(gamma * (1 - gamma) * dot(shares, shares))
