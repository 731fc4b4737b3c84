"""Which windows of a text are tried, and how much of the error rate each may use up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SHORTEST = 32
"""Scored tokens of the shortest window: a full-strength mark is hardly found in fewer."""

STRIDES = 8
"""Windows of one length start an eighth of it apart: a passage loses at most a sixteenth at either end."""

WHOLE = 0.5
"""Share of the error rate that the whole text may use up."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of one length: ``start .. start + length`` for each start, in scored tokens."""

    length: int
    starts: npt.NDArray[np.int64]
    share: float
    """Of the error rate, for each of these windows."""


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
