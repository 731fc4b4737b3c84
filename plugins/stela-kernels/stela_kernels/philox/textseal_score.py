"""TextSeal's p-value of green numbers: those of a green list, and those of all layers of a tournament."""

from __future__ import annotations

import numpy as np

import stela_core as stela

LEAST = 1e-200
"""The smallest p-value of TextSeal's detector."""


def mid_p(greens: int, trials: int, gamma: float) -> float:
    """``P(X > greens) + P(X = greens) / 2`` of a binomial X, at least ``LEAST``; 1.0 of no trials.

    Half of the last term is taken off, so it is not a bound: P(p <= a) may exceed a.

    Args:
        greens: at most ``trials``.
        trials: numbers looked at.
        gamma: probability that a number is green.
    """
    if not trials:
        return 1.0
    places, ones = np.arange(trials), np.ones(trials)

    def tail(least: int) -> float:
        bits = (places < least).astype(np.float64)
        return stela.Bernoulli(gamma).tail(bits, ones, split=False) if least <= trials else 0.0

    return max(LEAST, (tail(greens) + tail(greens + 1)) / 2)
