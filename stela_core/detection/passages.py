"""Which passages of a text to name: windows that hold at once, do not overlap, and cover little else.

All windows of the grid are tested at once (``window_grid.py``): for unmarked text the probability that *any*
of them has ``p / share <= a`` is at most a. So every window below alpha may be named, and which of them are
named may depend on the colours in any way. This file chooses; nothing here is a test.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


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
    for place, n in enumerate(order):
        sums.append(max(sums[-1], sums[before[place]] + gains[n]))
    chosen = []
    place = len(order)
    while place:
        if sums[place] > sums[place - 1]:
            chosen.append(order[place - 1])
            place = before[place - 1]
        else:
            place -= 1
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
    pair divide it: a loop is no more evidence than one round of it.

    Args:
        signal: of n tokens, (n,): of a green list 1 for green, 0 for red.
        weights: their weights, (n,).
        groups: their group numbers, (n,).
        unmarked: mean signal of unmarked text, the share of green tokens.
        marked: the same in the marked part.
    """
    repeats = np.bincount(groups)[groups]
    return np.asarray(weights / repeats * (signal - (unmarked + marked) / 2))
