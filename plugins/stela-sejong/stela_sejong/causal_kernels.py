"""The arithmetic of the causal tagger, compiled: one thread, 32 bits, and sums always in the same order.

A place's scores are the same bits in a text and in a window of it, in any batch and on any machine: numba
neither reorders nor fuses floating-point operations unless it is told to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_causal.convolution import compiled

from stela_sejong.causal_characters import Flags, Ids

Floats32 = npt.NDArray[np.float32]


@compiled
def best_two(scores: Floats32, kinds: int) -> Ids:
    """(n, heads * kinds) scores to (n, heads, 2): the best label of each head, and the best but label 0.

    Label 0 is that of a character at which nothing begins. Of equal labels the first is the best.
    """
    heads = scores.shape[1] // kinds
    best = np.zeros((len(scores), heads, 2), np.int64)
    for place in range(len(scores)):
        for head in range(heads):
            row = scores[place, head * kinds : (head + 1) * kinds]
            other = 1
            for label in range(2, kinds):
                if row[label] > row[other]:
                    other = label
            best[place, head, 0] = 0 if row[0] >= row[other] else other
            best[place, head, 1] = other
    return best


@compiled
def last_labels(
    late: Ids, early: Ids, row_of: Ids, space: Flags, starts: Ids, ends: Ids, sure_from: Ids, out: Ids
) -> tuple[Ids, Ids]:
    """The last characters of windows at which something begins, and their labels.

    Args:
        late: (n, 2) labels of the character ``delay`` places before each place, as :func:`best_two` has them.
        early: (rows, delay, 2) labels of the characters 0 to ``delay - 1`` places before an end.
        row_of: (m,) the row in ``early`` of each window's end.
        space: (n,) white space.
        starts: (m,) first place of each window.
        ends: (m,) place after the last one.
        sure_from: (m,) first place of each window whose labels depend only on the window.
        out: (m, count, 2) to be filled from the last label on: place, label.

    Returns:
        (m,) the labels of each window, and (m,) 1 where they depend on what stands before the window.
    """
    count, delay = out.shape[1], early.shape[1]
    sizes = np.zeros(len(starts), np.int64)
    unsure = np.zeros(len(starts), np.int64)
    for window in range(len(starts)):
        last = ends[window] - 1
        size = 0
        for place in range(last, starts[window] - 1, -1):
            if size == count:
                break
            judged = min(place + delay, last)
            if judged < sure_from[window]:
                unsure[window] = 1
                break
            if space[place]:
                continue
            # Something begins where a word does.
            first = 1 if place == starts[window] or space[place - 1] else 0
            if place + delay <= last:
                label = late[judged, first]
            else:
                label = early[row_of[window], judged - place, first]
            if label:
                out[window, size, 0], out[window, size, 1] = place, label
                size += 1
        sizes[window] = size
    return sizes, unsure
