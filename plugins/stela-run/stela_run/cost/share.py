"""The strength at which a share of texts is found."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_run.cost.pilot import FIRST, MOST

Floats = npt.NDArray[np.float64]

ROUNDS = 5
"""Deltas that are tried. Texts are drawn anew in each, and all count for the last estimate."""

SLOPE = 5.0
"""Slope of the log odds of being found, in log delta, as far as nothing is known: z grows in proportion to
delta with a spread near 1, so the probit at a threshold of z near 3 rises by 3, the logit 1.7 times that."""

SLOPE_SPREAD, DELTA_SPREAD = 0.5, 2.0
"""Standard deviations of log slope and log delta beforehand: weak, but enough where all texts are found, or
none."""


class Tried(NamedTuple):
    """Texts at one delta."""

    delta: float
    hits: int
    """How many were found."""
    texts: int
    """Number of texts that were tested."""


def delta_for_share(target: float, hits: Callable[[float, int], Sequence[bool]], scheme: str) -> float:
    """The delta at which a share of texts is found.

    Each delta that is tried is the estimate from all rounds before, which a logistic curve gives (Wu,
    "Efficient sequential designs with binary data", JASA 80, 1985), within twice the deltas tried and half.

    Args:
        target: the share, between 0 and 1.
        hits: from a delta, and the number of the round, to which texts are found.
        scheme: for the error.

    Raises:
        StelaError: too few texts are found at any delta, or there are no texts.
    """
    delta, tried = FIRST, list[Tried]()
    for number in range(ROUNDS):
        each = hits(delta, number)
        if not each:
            raise StelaError(
                f'no pilot text of scheme "{scheme}" is long enough to be tested.', "use a smaller length"
            )
        tried.append(Tried(delta, sum(each), len(each)))
        delta = _within(estimate(target, tried), tried)
    most = max(tried)
    if delta >= MOST and most.hits < target * most.texts:
        raise StelaError(
            f'scheme "{scheme}" is found in {most.hits} of {most.texts} texts at delta {most.delta:g}, and a '
            f"share of {target:g} is asked for.",
            "ask for less, use longer texts, or a larger tpr_at",
        )
    return delta


def _within(delta: float, tried: Sequence[Tried]) -> float:
    deltas = [one.delta for one in tried]
    return min(max(delta, min(deltas) / 2), max(deltas) * 2, MOST)


def estimate(target: float, tried: Sequence[Tried]) -> float:
    """The delta at which a logistic curve in log delta that fits best has the value ``target``."""
    from scipy.optimize import minimize  # slow to import

    # The valleys may be two, and narrow: the finer search begins in the lowest one.
    deltas, slopes = np.linspace(-6, 6, 481), np.linspace(-4, 4, 161)
    grid = surprise(deltas, slopes[:, None], target, tried)
    slope, delta = np.unravel_index(int(np.argmin(grid)), grid.shape)
    best = minimize(
        lambda at: float(surprise(at[:1], at[1:], target, tried)[0]),
        np.array([deltas[delta], slopes[slope]]),
        method="Nelder-Mead",
        options={"xatol": 1e-4, "fatol": 1e-6},
    )
    return float(np.exp(best.x[0]))


def surprise(log_delta: Floats, log_slope: Floats, target: float, tried: Sequence[Tried]) -> Floats:
    """Minus the log of the posterior density of curves, up to a constant.

    Args:
        log_delta: where each curve has the value ``target``.
        log_slope: of its log odds, in log delta; its shape and that of ``log_delta`` are broadcast.
        target: in (0, 1).
        tried: what was seen.
    """
    value = ((log_slope - math.log(SLOPE)) / SLOPE_SPREAD) ** 2 / 2
    value = value + ((log_delta - math.log(FIRST)) / DELTA_SPREAD) ** 2 / 2
    for one in tried:
        odds = math.log(target / (1 - target)) + np.exp(log_slope) * (math.log(one.delta) - log_delta)
        # log(1 + e^-|x|) does not overflow; log(1 + e^x) is it and x, where x is above 0.
        value = value + one.texts * np.log1p(np.exp(-np.abs(odds)))
        value = value + np.where(odds < 0, -one.hits, one.texts - one.hits) * odds
    return value
