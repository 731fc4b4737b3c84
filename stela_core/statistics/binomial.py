"""Probabilities of the binomial distribution, with full relative accuracy far in the tails."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt


def binomial_pmf(count: int, gamma: float) -> npt.NDArray[np.float64]:
    """P(k of ``count`` coins are green) for k = 0 .. count, (count + 1,).

    By the recursion ``pmf(k + 1) / pmf(k) = (count - k) / (k + 1) * gamma / (1 - gamma)``, in logarithms
    from the mode outwards, then normalised: the relative error grows with the distance from the mode
    only, and is near 1e-13 down to 1e-300. Smaller values are 0.
    """
    k = np.arange(count, dtype=np.float64)
    ratios = np.log((count - k) / (k + 1)) + math.log(gamma / (1 - gamma))
    mode = min(count, int((count + 1) * gamma))
    logs = np.zeros(count + 1)
    logs[mode + 1 :] = np.cumsum(ratios[mode:])
    logs[:mode] = -np.cumsum(ratios[:mode][::-1])[::-1]
    # exp(-690) is 2e-300: denormal numbers, which are slow to work with, are left out.
    pmf = np.where(logs < -690.0, 0.0, np.exp(np.maximum(logs, -690.0)))
    return np.asarray(pmf / pmf.sum())


KEPT = 1 << 12
"""Coins of the largest distribution that is kept: texts of about one length follow each other."""


def known_pmf(count: int, gamma: float) -> npt.NDArray[np.float64]:
    """:func:`binomial_pmf`, which may be kept: not to be written to."""
    return _kept(count, gamma)[0] if count <= KEPT else binomial_pmf(count, gamma)


def known_upper(count: int, gamma: float) -> npt.NDArray[np.float64]:
    """P(k or more of ``count`` coins are green), k = 0 .. count + 1, (count + 2,); not to be written to."""
    return _kept(count, gamma)[1] if count <= KEPT else _upper(binomial_pmf(count, gamma))


@lru_cache(maxsize=256)
def _kept(count: int, gamma: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    pmf = binomial_pmf(count, gamma)
    upper = _upper(pmf)
    pmf.flags.writeable = upper.flags.writeable = False
    return pmf, upper


def _upper(pmf: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.append(np.cumsum(pmf[::-1])[::-1], 0.0)
