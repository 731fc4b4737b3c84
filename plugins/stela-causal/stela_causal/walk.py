"""Words and their tags from scores, from the end of a window on: what :mod:`.last_words` compiles."""

from __future__ import annotations

import numpy as np

from stela_causal.code_points import Ids
from stela_causal.layers import Flags, Reals


def walked(
    scores: Reals,
    delay: int,
    space: Flags,
    starts: Ids,
    ends: Ids,
    sure_from: Ids,
    out: Ids,
    labels_only: bool,
) -> tuple[Ids, Ids]:
    """The last words of windows of what was laid out.

    A character is judged at the place ``delay`` after it, or at the window's last one where that comes first:
    whether a word begins there, and, at the last character of a word, the word's tag. A word never spans
    white space, and one begins after it.

    Args:
        scores: (n, (delay + 1) * (1 + labels)): for the character ``d`` before each place, whether a word
            begins there (where positive), and scores of the labels of a word that ends there.
        delay: places that a decision may wait for.
        space: (n,) white space and gaps.
        starts: (m,) first place of each window.
        ends: (m,) place after the last one.
        sure_from: (m,) first place of each window whose scores depend only on the window.
        out: (m, count, 3) to be filled from the last word on: begin, end, label.
        labels_only: do not look where the first of these words begins.

    Returns:
        (m,) the words of each window, and (m,) 1 where they depend on what stands before the window.
    """
    kinds = scores.shape[1] // (delay + 1)
    sizes = np.zeros(len(starts), np.int64)
    unsure = np.zeros(len(starts), np.int64)
    for window in range(len(starts)):
        start, last = starts[window], ends[window] - 1
        place, size = last, 0
        while place >= start and size < out.shape[1]:
            if space[place]:
                place -= 1
                continue
            word_end = place + 1
            judged = min(place + delay, last)
            first = (judged - place) * kinds
            begin_matters = not labels_only or size + 1 < out.shape[1]
            while begin_matters and place > start and not space[place - 1]:
                here = min(place + delay, last)
                if here < sure_from[window]:
                    unsure[window] = 1
                    break
                if scores[here, (here - place) * kinds] > 0:
                    break
                place -= 1
            if unsure[window] or judged < sure_from[window]:
                unsure[window] = 1
                break
            best = 1
            for label in range(2, kinds):
                if scores[judged, first + label] > scores[judged, first + best]:
                    best = label
            out[window, size, 0], out[window, size, 1], out[window, size, 2] = place, word_end, best - 1
            size += 1
            place -= 1
        sizes[window] = size
    return sizes, unsure
