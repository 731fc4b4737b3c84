"""Null distributions of texts, worked out once: a test under one more key is then a look-up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from stela_core.detection.unmarked import Unmarked
from stela_core.statistics.binomial import binomial_pmf
from stela_core.statistics.lattice import to_lattice

LEVELS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


def tail_table(lattice: npt.NDArray[np.int64], gamma: float) -> npt.NDArray[np.float64]:
    """P(sum of q_g B_g >= s) for every s = 0 .. sum q_g + 1, (sum + 2,): one text under all keys.

    For whole weights q_g (n,) of at least 1. All terms are positive: relative error near 1e-13.
    """
    values, counts = np.unique(lattice, return_counts=True)
    pmf = np.zeros(int(values @ counts) + 2)
    pmf[0] = 1.0
    top = 1
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        coins = binomial_pmf(count, gamma)
        band = pmf[:top].copy()
        pmf[:top] *= coins[0]
        for green in range(1, count + 1):
            pmf[value * green : value * green + top] += coins[green] * band
        top += value * count
        # Denormal numbers are slow to work with.
        pmf[:top][pmf[:top] < 1e-290] = 0.0
    return np.minimum(1.0, np.cumsum(pmf[::-1])[::-1])


@dataclass(frozen=True)
class NullTables:
    """What decides p <= level for each of n texts."""

    texts: Unmarked
    weight: npt.NDArray[np.float64]
    """Lattice weight of each entry, (entries,)."""
    critical: npt.NDArray[np.float64]
    """Smallest sum over green entries with p <= level, (levels, texts)."""
    attained: npt.NDArray[np.float64]
    """Its probability: sums move in steps, so it is the level or somewhat below it, (levels, texts)."""

    def passed(self, green: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """How many of :data:`LEVELS` each text's p is within, (texts,), for one colouring of the pairs."""
        sums = np.add.reduceat(self.weight * green[self.texts.pair], self.texts.starts[:-1])
        passed: npt.NDArray[np.int8] = (sums >= self.critical).sum(axis=0, dtype=np.int8)
        return passed


def null_tables(texts: Unmarked, gamma: float) -> NullTables:
    """The tables of texts whose pairs are each a coin of their own (the core's hasher)."""
    weight = np.zeros(len(texts.weight))
    critical, attained = np.empty((2, len(LEVELS), texts.count))
    starts = texts.starts.tolist()
    for number, (start, end) in enumerate(pairwise(starts)):
        own = texts.weight[start:end]
        lattice = to_lattice(own[own > 0])
        weight[start:end][own > 0] = lattice
        tail = tail_table(lattice[lattice > 0], gamma)
        # It falls with the sum: the first at or below the level.
        first = np.array([np.searchsorted(-tail, -level) for level in LEVELS])
        critical[:, number], attained[:, number] = first, tail[first]
    return NullTables(texts, weight, critical, attained)
