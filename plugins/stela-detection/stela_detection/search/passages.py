"""Passages of a text: which windows to name, and which characters they are.

All windows of the grid are tested at once (``windows.py``): for unmarked text the probability that *any*
of them has ``p / share <= a`` is at most a. So every window below alpha may be named, and which of them are
named may depend on the colours in any way. This file chooses; nothing here is a test.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.api import Evidence, Passage


class Span(NamedTuple):
    """A piece of a text."""

    start: int
    end: int
    """End of the span, which is ``text[start:end]``, in characters."""
    text: str
    token_start: int
    token_end: int
    """End of its tokens, which are ``token_start .. token_end - 1`` of the text."""


class Spans:
    """Pieces of one text, for ranges of its scored tokens.

    Args:
        evidence: of the text.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._positions = evidence.positions
        self._text, self._ends, self._unseen = evidence.token_spans()

    def of(self, start: int, end: int) -> Span:
        """The piece from scored token ``start`` up to ``end``, at least one."""
        first, last = int(self._positions[start]), int(self._positions[end - 1])
        begin, stop = max(self._unseen, self._ends[first]), self._ends[last + 1]
        return Span(begin - self._unseen, stop - self._unseen, self._text[begin:stop], first, last + 1)

    def relabelled(self, passage: Passage) -> Passage:
        """The passage of another reading, with the tokens of this one that have its characters."""
        start, end = passage.start + self._unseen, passage.end + self._unseen
        first = max(0, bisect_right(self._ends, start) - 1)
        return replace(passage, token_start=first, token_end=max(first + 1, bisect_left(self._ends, end)))


def best_apart(windows: Sequence[tuple[int, int]], gains: Sequence[float]) -> list[int]:
    """Numbers of the windows that have the largest sum of gains among those that do not overlap, in order.

    Weighted interval scheduling (Kleinberg and Tardos, Algorithm Design, 2005, section 6.1): with the
    windows in the order of their ends, the best sum up to one of them either leaves it out or adds its gain
    to the best sum up to its start. With gains ``log(alpha) - log(p / share)`` two passages beat one window
    over both and the text between them, and one window beats two halves of it: evidence adds up, and each
    window pays for its correction.

    Args:
        windows: ``(start, end)`` of each, ``start < end``.
        gains: of each; none that is 0 or less is chosen.
    """
    order = sorted((n for n, gain in enumerate(gains) if gain > 0), key=lambda n: windows[n][1])
    ends = [windows[n][1] for n in order]
    before = [bisect_right(ends, windows[n][0]) for n in order]
    sums = [0.0]
    for rank, n in enumerate(order):
        sums.append(max(sums[-1], sums[before[rank]] + gains[n]))
    chosen = []
    rank = len(order)
    while rank:
        if sums[rank] > sums[rank - 1]:
            chosen.append(order[rank - 1])
            rank = before[rank - 1]
        else:
            rank -= 1
    return chosen[::-1]


def densest(values: npt.NDArray[np.float64]) -> tuple[int, int, float]:
    """Start, end and sum of the consecutive values with the largest sum; at least one value.

    By prefix sums: for each end the start after the smallest sum before it (Bentley, CACM 27, 1984).

    Args:
        values: (n,), n at least 1.
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    lowest = np.minimum.accumulate(sums[:-1])
    end = int(np.argmax(sums[1:] - lowest)) + 1
    start = end - 1 - int(np.argmin(sums[:end][::-1]))
    return start, end, float(sums[end] - sums[start])


def evidence_of_tokens(
    signal: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    unmarked: float,
    marked: float,
) -> npt.NDArray[np.float64]:
    """What each token says for a mark (above 0) or against it, (n,).

    A coin counts ``w (signal - m)``, m midway between the mean signal of unmarked and of marked text: the
    log-likelihood ratio of two normal distributions of equal variance, up to a factor. The tokens of one
    pair divide it: a loop is not more evidence than one round of it.

    Args:
        signal: of n tokens, (n,): of a green list 1 for green, 0 for red.
        weights: their weights, (n,).
        groups: their group numbers, (n,).
        unmarked: mean signal of unmarked text, the share of green tokens.
        marked: the same in the marked part.
    """
    repeats = np.bincount(groups)[groups]
    return np.asarray(weights / repeats * (signal - (unmarked + marked) / 2))
