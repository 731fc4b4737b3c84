"""Null distributions of texts, worked out once: a test under one more key is then a look-up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from stela_run.null.unmarked import Unmarked

from stela_core.statistics.binomial import binomial_pmf
from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.p_value import share_at_least

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
    room: npt.NDArray[np.float64]
    """Share of the next smaller sum's arrangements that are within the level too, where ties are split;
    0 where they are not, (levels, texts)."""
    common: npt.NDArray[np.int64]
    """Entries of each text with its most common lattice weight, ordered by first token, end to end."""
    common_starts: npt.NDArray[np.intp]
    """(texts + 1,)."""

    def passed(self, green: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """How many of :data:`LEVELS` each text's p is within, (texts,), for one colouring of the pairs."""
        colours = green[self.texts.pair]
        sums = np.add.reduceat(self.weight * colours, self.texts.starts[:-1])
        within = sums >= self.critical
        for level, text in zip(*np.nonzero((sums == self.critical - 1) & (self.room > 0)), strict=True):
            own = self.common[self.common_starts[text] : self.common_starts[text + 1]]
            within[level, text] = share_at_least(colours[own].tolist()) <= self.room[level, text]
        passed: npt.NDArray[np.int8] = within.sum(axis=0, dtype=np.int8)
        return passed


def null_tables(texts: Unmarked, gamma: float, split: bool = True) -> NullTables:
    """The tables of texts whose pairs are each a coin of their own (the core's hasher).

    Args:
        texts: unmarked ones.
        gamma: share of green.
        split: whether the scorer splits ties.
    """
    weight = np.zeros(len(texts.weight))
    critical, attained, room = np.zeros((3, len(LEVELS), texts.count))
    rows = []
    starts = texts.starts.tolist()
    for number, (start, end) in enumerate(pairwise(starts)):
        own = texts.weight[start:end]
        lattice = to_lattice(own[own > 0])
        weight[start:end][own > 0] = lattice
        tail = tail_table(lattice[lattice > 0], gamma)
        # It falls with the sum: the first at or below the level.
        first = np.array([np.searchsorted(-tail, -level) for level in LEVELS])
        critical[:, number], attained[:, number] = first, tail[first]
        values, counts = np.unique(lattice[lattice > 0], return_counts=True)
        own = start + np.flatnonzero(weight[start:end] == values[np.argmax(counts)])
        rows.append(own[np.argsort(texts.first[own])])
        if split:
            step = tail[first - 1] - tail[first]
            room[:, number] = np.where(first > 0, (LEVELS - tail[first]) / np.maximum(step, 1e-290), 0.0)
    starts = np.cumsum([0, *(len(row) for row in rows)])
    return NullTables(texts, weight, critical, attained, room, np.concatenate(rows), starts)
