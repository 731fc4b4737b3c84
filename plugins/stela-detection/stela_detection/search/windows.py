"""Windows of a text: which are tried, the sums of each, and how promising each is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import Scorer
from stela_core.api import Evidence

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

SHORTEST = 32
"""Scored tokens of the shortest window: a full-strength mark is hardly found in fewer."""

STRIDES = 8
"""Windows of one length start an eighth of it apart: a passage loses at most a sixteenth at either end."""

WHOLE = 0.5
"""Share of the error rate that the whole text may use up."""

CROWD = 64
"""Members of a cluster, above which it is walked by itself: several take as many steps as the largest."""

LONG = 2000
"""Tokens of a text from which clusters are quicker than the walk."""


class Windows(NamedTuple):
    """Windows of one length: ``start .. start + length`` for each start, in scored tokens."""

    length: int
    starts: npt.NDArray[np.int64]
    share: float
    """Share of the error rate for each of these windows."""


def window_grid(count: int) -> list[Windows]:
    """Windows of a text of ``count`` scored tokens: lengths grow by sqrt(2); the whole text is the last.

    Half of the error rate belongs to the whole text, the other half is divided evenly between the
    lengths, and each length's part evenly between its windows. The shares add up to 1, so
    ``P(any p_window <= a share_window) <= a`` (union bound; Bonferroni with unequal shares). In all there
    are at most ``8 sum count / length``, that is O(count) windows.
    """
    lengths: list[int] = []
    length = float(SHORTEST)
    while length < count:
        lengths.append(int(length))
        length *= math.sqrt(2)
    whole = WHOLE if lengths else 1.0
    grid = []
    for size in lengths:
        starts = np.arange(0, count - size, max(1, size // STRIDES), dtype=np.int64)
        starts = np.append(starts, count - size)
        grid.append(Windows(size, starts, (1 - whole) / (len(lengths) * len(starts))))
    return [*grid, Windows(count, np.zeros(1, dtype=np.int64), whole)]


class Candidate(NamedTuple):
    """A window in scored tokens; the smallest ``log_p`` is the most promising."""

    log_p: float
    """Logarithm of a normal tail, with the correction."""
    start: int
    end: int
    share: float


def candidates(evidence: Evidence, scorer: Scorer, looks: float) -> Iterator[Candidate]:
    """All windows with the z of a normal approximation: O(n) for each of O(log n) lengths."""
    law = evidence.law
    # In units of the largest weight nothing under- or overflows when squared.
    weights = evidence.weights / (float(evidence.weights.max()) or 1.0)
    shares = scorer.shares(np.arange(1, 1 + int(np.bincount(evidence.groups).max())))
    sliding = SlidingSums(weights, evidence.signal - law.mean, evidence.groups, shares)
    for windows in window_grid(len(weights)):
        excess, squares = sliding.of(windows.length)
        ends = windows.starts + windows.length
        spread = np.sqrt(law.variance * np.maximum(squares[windows.starts], 1e-30))
        z = excess[windows.starts] / spread
        share = windows.share * evidence.share / (looks * evidence.choices)
        cost = math.log(share)
        for start, end, score in zip(windows.starts.tolist(), ends.tolist(), z.tolist(), strict=True):
            yield Candidate(_log_normal_tail(score) - cost, start, end, share)


def _log_normal_tail(z: float) -> float:
    """Log of P(N >= z), roughly beyond 30."""
    if z > 30:
        return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))
    return math.log(math.erfc(z / math.sqrt(2)) / 2)


class SlidingSums:
    """Sums over groups of W times value, and of W**2, where W is a group's stake in a window.

    W is the sum of the weights of the group's m tokens in the window, times ``shares[m - 1]``.

    A token that enters a window or leaves it changes only the stake of its group: one walk over the
    text gives all sums. In long texts the loop is numpy's. Members of a group that are a window apart or
    more never meet there: each begins a *cluster*, whose stake rises from 0 and falls back to it, and all
    clusters are walked at once. Every stake and sum is made by the additions of the one walk, in their
    order: they are equal bit for bit.

    Args:
        weights: of n tokens, (n,).
        values: of the tokens, (n,); equal within a group.
        groups: group numbers, (n,), at least 0.
        shares: for m = 1, 2, ..., the most tokens of any group.
    """

    def __init__(self, weights: Floats, values: Floats, groups: Whole, shares: Floats) -> None:
        self._weights, self._values, self._groups = weights, values, groups
        self._factors = np.concatenate([[0.0], shares])
        self._order = np.argsort(groups, kind="stable")
        """Tokens by group, and by place within a group."""
        gaps = np.diff(self._order)
        gaps[np.diff(groups[self._order]) != 0] = len(groups)
        self._gaps = gaps
        """Distance from each to the next of its group; the length of the text where no other follows."""

    def of(self, length: int) -> tuple[Floats, Floats]:
        """The two sums in each window of ``length`` tokens, (n - length + 1,) each."""
        if len(self._weights) < LONG:
            return walked(self._weights, self._values, self._groups, self._factors, length)
        return self.by_clusters(length)

    def by_clusters(self, length: int) -> tuple[Floats, Floats]:
        """The same as of :func:`walked`."""
        count = len(self._weights)
        # Token i enters at time 2 i and leaves at 2 (i + length) - 1: before the one that takes its place.
        gains, squares = np.zeros((2, 2 * (count + length)))
        first = np.concatenate([[0], np.flatnonzero(self._gaps >= length) + 1]).astype(np.int64)
        sizes = np.diff(first, append=count)
        lone = self._order[first[sizes == 1]]
        self._note(lone, 2 * lone, 0.0, self._weights[lone] * self._factors[1], gains, squares)
        self._note(lone, 2 * (lone + length) - 1, self._weights[lone] * self._factors[1], 0.0, gains, squares)
        for chosen in ((sizes > 1) & (sizes <= CROWD), *self._crowds(sizes)):
            self._walk(first[chosen], sizes[chosen], length, gains, squares)
        seen = slice(2 * (length - 1), 2 * count, 2)
        return np.cumsum(gains)[seen], np.cumsum(squares)[seen]

    def _crowds(self, sizes: Whole) -> list[npt.NDArray[np.bool_]]:
        return [np.arange(len(sizes)) == n for n in np.flatnonzero(sizes > CROWD)]

    def _walk(self, first: Whole, sizes: Whole, length: int, gains: Floats, squares: Floats) -> None:
        """Enter the events of clusters, largest first: those that go on are always in front."""
        if not len(first):
            return
        largest = np.argsort(-sizes, kind="stable")
        first, sizes = first[largest], sizes[largest]
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        starts = np.cumsum(sizes) - sizes
        token = self._order[np.arange(len(cluster)) - starts[cluster] + first[cluster]]
        times = np.concatenate([2 * token, 2 * (token + length) - 1])
        both = np.concatenate([cluster, cluster])
        order = np.lexsort((times, both))
        times, tokens = times[order], np.concatenate([token, token])[order]
        enters = (order < len(token)).astype(np.int64)
        signed = np.where(enters == 1, self._weights[tokens], -self._weights[tokens])
        if len(sizes) == 1:
            self._walk_one(times, tokens, signed, enters, gains, squares)
            return
        events, begin = 2 * sizes, 2 * starts
        sums, stakes = np.zeros((2, len(sizes)))
        members = np.zeros(len(sizes), dtype=np.int64)
        going = np.searchsorted(-events, -np.arange(int(events[0])), side="left")
        for step, active in enumerate(going.tolist()):
            at = begin[:active] + step
            sums[:active] += signed[at]
            members[:active] += 2 * enters[at] - 1
            new = sums[:active] * self._factors[members[:active]]
            self._note(tokens[at], times[at], stakes[:active].copy(), new, gains, squares)
            stakes[:active] = new

    def _walk_one(
        self, times: Whole, tokens: Whole, signed: Floats, enters: Whole, gains: Floats, squares: Floats
    ) -> None:
        """One large cluster: running sums are what a walk gives."""
        sums, members = np.cumsum(signed), np.cumsum(2 * enters - 1)
        stakes = sums * self._factors[members]
        self._note(tokens, times, np.concatenate([[0.0], stakes[:-1]]), stakes, gains, squares)

    def _note(
        self,
        tokens: Whole,
        times: Whole,
        old: Floats | float,
        new: Floats | float,
        gains: Floats,
        squares: Floats,
    ) -> None:
        change = new - old
        gains[times] = change * self._values[tokens]
        squares[times] = change * (new + old)


def walked(
    weights: Floats,
    values: Floats,
    groups: Whole,
    factors: Floats,
    length: int,
) -> tuple[Floats, Floats]:
    """The two sums by one walk over the text, O(n). ``factors`` are the shares, that of no token first."""
    count = int(groups.max()) + 1
    sums, sizes, stakes = [0.0] * count, [0] * count, [0.0] * count
    share = factors.tolist()
    each, worth, numbers = weights.tolist(), values.tolist(), groups.tolist()
    total = squares = 0.0
    totals, squared = [], []
    for end, group in enumerate(numbers, start=1):
        sums[group] += each[end - 1]
        sizes[group] += 1
        old = stakes[group]
        new = stakes[group] = sums[group] * share[sizes[group]]
        squares += (new - old) * (new + old)
        total += (new - old) * worth[end - 1]
        if end < length:
            continue
        totals.append(total)
        squared.append(squares)
        group = numbers[end - length]
        sizes[group] -= 1
        sums[group] = sums[group] - each[end - length] if sizes[group] else 0.0
        old = stakes[group]
        new = stakes[group] = sums[group] * share[sizes[group]]
        squares += (new - old) * (new + old)
        total += (new - old) * worth[end - length]
    return np.array(totals), np.array(squared)
