"""The exact tail of a weighted count of green coins: the p-value of a detection.

The weights are put on a lattice first (``lattice.py``), from the weights alone. A weight never depends
on the key or on a colour, so neither does its lattice value, and ``sum q_g B_g`` with B_g independent
Bernoulli(gamma) is exactly the distribution of the lattice statistic on unmarked text over random keys.
Statistic and null use the same lattice values, so the p-value is valid as it stands, P(p <= a) <= a:
rounding weights costs a trace of power and needs no rounding of p against the claim. A normal tail, in
contrast, is off by factors of ten at 1e-5.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stela_core.statistics.binomial import binomial_pmf
from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.tilted import log_tail

SMALLEST = 1e-300
"""p-values below it are given as it: a p-value is never 0."""

_RESCALE = 1e-9
"""Where the collected factor is put back, long before anything overflows or gets denormal."""

_WORK = 40_000_000
"""Additions that one convolution may take (some 20 ms); more coins than that go by the transform."""


def tail_probability(green: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float) -> float:
    """P(weighted count of green coins at least as large as this one), coins independent.

    For equal weights it is the binomial tail ``I_gamma(S, T - S + 1)`` of S green among T.

    Args:
        green: colours of n coins, (n,).
        weights: weights of the coins, (n,), finite and at least 0.
        gamma: probability that a coin is green, in (0, 1).

    Returns:
        p in [1e-300, 1]; 1.0 where no coin has weight.
    """
    positive = weights > 0
    if not positive.any():
        return 1.0
    lattice = to_lattice(weights[positive])
    return lattice_tail(lattice, int(lattice[green[positive]].sum()), gamma)


def lattice_tail(lattice: npt.NDArray[np.int64], observed: int, gamma: float) -> float:
    """P(sum of q_g B_g >= ``observed``) for whole weights q_g (n,) of at least 0, in [1e-300, 1]."""
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    if observed <= 0:
        return 1.0
    rarer = int(counts.sum()) - int(counts.max())
    # The choice depends on the weights alone, so that p is monotone in the observed sum.
    if rarer * int(values @ counts) // 2 <= _WORK:
        p = convolved_tail(values, counts, observed, gamma)
    else:
        p = math.exp(max(-700.0, log_tail(values, counts, observed, gamma)))
    return min(1.0, max(SMALLEST, p))


def convolved_tail(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """P(S >= ``observed``) by adding coin after coin, all terms positive.

    Starts from the binomial distribution of the most common value. Sums that have reached ``observed``
    are counted once and dropped, and so are those that can no longer reach it: what is left to add to
    is the band between. Without subtractions the relative error stays near 1e-13; probabilities below
    1e-300 are dropped.

    Args:
        values: distinct whole weights, (d,), ascending, at least 1.
        counts: number of coins of each, (d,), at least 1.
        observed: at least 1.
        gamma: probability that a coin is green.
    """
    common = int(np.argmax(counts))
    step, count = int(values[common]), int(counts[common])
    pmf = binomial_pmf(count, gamma)
    first = -(-observed // step)
    reached = float(pmf[first:].sum())
    # scale * band[s] is the probability of the sum s among the coins so far; ``scale`` collects the
    # factors 1 - gamma, which saves a pass over the band for each coin.
    band = np.zeros(observed)
    kept = pmf[:first]
    band[: step * len(kept) : step] = kept
    top = min(observed, step * count + 1)
    scale, odds = 1.0, gamma / (1 - gamma)
    others = np.delete(values, common).repeat(np.delete(counts, common)).tolist()
    remaining = sum(others)
    scratch = np.empty(observed)
    for value in others:
        low = observed - remaining
        if low < 0:
            low = 0
        elif low >= top:
            break
        remaining -= value
        over = observed - value
        if over < top:
            reached += gamma * scale * float(np.add.reduce(band[max(low, over) : top]))
        end = min(top, over)
        if low < end:
            moved = scratch[low:end]
            np.multiply(band[low:end], odds, moved)
            target = band[low + value : end + value]
            np.add(target, moved, target)
        top = min(observed, top + value)
        scale *= 1 - gamma
        if scale < _RESCALE:
            band *= scale
            band[band < SMALLEST] = 0.0
            scale = 1.0
    return reached
