"""Exact confidence intervals of an observed share."""

from __future__ import annotations

from collections.abc import Callable

CONFIDENCE = 0.95


def clopper_pearson(hits: int, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Two-sided interval of a probability of which ``hits`` of ``count`` trials were seen.

    Clopper and Pearson (Biometrika 26, 1934): the ends are the probabilities at which this many hits,
    or more (fewer), have probability ``(1 - confidence) / 2``. It covers at least as often as it says.

    Args:
        hits: 0 .. count.
        count: independent trials, at least 1.
        confidence: in (0, 1).
    """
    from scipy.special import bdtr, bdtrc  # slow to import

    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _root(lambda p: bdtrc(hits - 1, count, p) < tail)
    high = 1.0 if hits == count else _root(lambda p: bdtr(hits, count, p) >= tail)
    return low, high


def widened(share: float, low: float, high: float, count: int) -> tuple[float, float]:
    """Ends of a 95 % bootstrap interval of a share, mended where they say too much.

    Where all ``count`` trials agree, all resamples do: the ends then take in those of Clopper and Pearson.
    """
    if share not in (0.0, 1.0):
        return low, high
    exact = clopper_pearson(round(share * count), count)
    return min(low, exact[0]), max(high, exact[1])


def _root(below: Callable[[float], bool]) -> float:
    """Point at which a condition that holds at 0 and fails at 1 changes, to 1e-12."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2
