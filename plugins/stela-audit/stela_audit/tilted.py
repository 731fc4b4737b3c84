"""Tables with given margins, under given log odds: the multivariate noncentral hypergeometric law."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

STEPS = 60
"""Steps of the bisection; the interval is as short as a float then."""


def tilted_tables(
    counts: npt.NDArray[np.int64], hits: int, tilts: npt.NDArray[np.float64], draws: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Hits of each group, given their sum: Fisher's multivariate noncentral hypergeometric law.

    Binomials whose probabilities have these log odds, up to a constant, follow it given their sum (Fog,
    "Sampling methods for Wallenius' and Fisher's noncentral hypergeometric distributions", 2008, section 4).
    So they are drawn until it is right; the constant is the one that makes that likeliest.

    Args:
        counts: (groups,), int64: sizes.
        hits: their sum, 0 to that of the counts.
        tilts: (tables, groups), float64: log odds, up to a constant for each table.
        draws: a generator.

    Returns:
        (tables, groups), int64; each row sums to ``hits``.
    """
    tables = len(tilts)
    if hits in (0, int(counts.sum())):
        return np.tile(counts if hits else np.zeros_like(counts), (tables, 1))
    alike = bool((tilts == tilts[0]).all())
    if alike:
        tilts = tilts[:1]  # one bisection for all tables
    reach = np.abs(tilts).max(axis=1) + np.log(float(counts.sum())) + 1
    low, high = -reach, reach
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = (counts / (1 + np.exp(-tilts - middle[:, None]))).sum(axis=1) < hits
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    chances = 1 / (1 + np.exp(-tilts - low[:, None]))
    if alike:
        chances = np.broadcast_to(chances, (tables, len(counts)))
    out = np.empty((tables, len(counts)), dtype=np.int64)
    left = np.arange(tables)
    while len(left):
        some = draws.binomial(counts, chances[left])
        right = some.sum(axis=1) == hits
        out[left[right]] = some[right]
        left = left[~right]
    return out
