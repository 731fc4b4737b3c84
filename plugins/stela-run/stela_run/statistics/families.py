"""Many comparisons at once: p-values that hold for all of a table together.

Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from stela_run.statistics.bootstrap import Floats

T = TypeVar("T")

MOST = 4
"""Members of which all pairs are compared."""

LEVEL = 0.05
"""Largest chance that any comparison of a table is called different and is not."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value adjusted for all: those at most a make any mistake with probability at most a.

    The i-th smallest of n is multiplied by ``n - i + 1``, and is not smaller than the one before it.
    """
    order = np.argsort(np.asarray(p_values, dtype=np.float64), kind="stable")
    adjusted = [0.0] * len(order)
    before = 0.0
    for rank, place in enumerate(order.tolist()):
        before = max(before, min(1.0, (len(order) - rank) * p_values[place]))
        adjusted[place] = before
    return adjusted


def pairs_of(members: Sequence[T]) -> Iterator[tuple[T, T]]:
    """The pairs that are compared, the later one first: what is new is compared with what came before it.

    Of more than :data:`MOST` members, each is compared with the first.
    """
    if len(members) <= MOST:
        yield from ((later, first) for first, later in combinations(members, 2))
    else:
        yield from ((later, members[0]) for later in members[1:])


def bootstrap_p(resampled: Floats) -> float:
    """Two-sided p-value of 0 from a bootstrap's resamples of a statistic, (resamples,).

    The level at which the percentile interval of these resamples just reaches 0: twice the smaller share on
    one side of it, with the sample itself counted among them (Davison and Hinkley, Bootstrap Methods, 1997,
    section 4.4), so that it is never 0. Values that are not defined (not finite) count on both sides.
    """
    low = int((~(resampled > 0)).sum())
    high = int((~(resampled < 0)).sum())
    return min(1.0, 2 * (min(low, high) + 1) / (len(resampled) + 1))
