"""The arithmetic of the causal models, compiled: one thread, 32 bits, and sums always in the same order.

A place's scores are the same bits in a text and in a window of it, in any batch and on any machine: numba
neither reorders nor fuses floating-point operations unless it is told to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_causal.convolution import compiled

from stela_ctb.causal_network import DELAY
from stela_ctb.kernels import Flags, Ids

Floats32 = npt.NDArray[np.float32]


@compiled
def last_words(
    begins: Flags,
    tags: Floats32,
    space: Flags,
    starts: Ids,
    ends: Ids,
    cut_from: Ids,
    tagged_from: Ids,
    count: int,
    words: Ids,
) -> tuple[Ids, Ids]:
    """The last words of windows of what was laid out: their numbers, and how many each window has.

    Args:
        begins: (n, delays) whether a word begins ``d`` places before a place.
        tags: (n, delays * 2 * tags) scores of the character ``d`` places before, as a first one and else.
        space: (n,) white space.
        starts: (m,) first place of each window.
        ends: (m,) place after the last one.
        cut_from: (m,) first place of each window whose ``begins`` depend only on the window.
        tagged_from: (m,) the same of ``tags``.
        count: words of a window at most.
        words: (m, count, 3) to be filled from the last word on: begin, end, tag.

    Returns:
        (m,) the words of each window, and (m,) 1 where they depend on what stands before the window.
    """
    kinds = tags.shape[1] // (2 * (DELAY + 1))
    sizes = np.zeros(len(starts), np.int64)
    unsure = np.zeros(len(starts), np.int64)
    total = np.empty(kinds, np.float32)
    for window in range(len(starts)):
        start, end = starts[window], ends[window]
        place = end - 1
        while place >= start and sizes[window] < count and not unsure[window]:
            if space[place]:
                place -= 1
                continue
            word_end = place + 1
            while place > start and not space[place - 1]:
                judged = min(place + DELAY, end - 1)
                if judged < cut_from[window]:
                    unsure[window] = 1
                    break
                if begins[judged, judged - place]:
                    break
                place -= 1
            if unsure[window] or min(place + DELAY, end - 1) < tagged_from[window]:
                unsure[window] = 1
                break
            total[:] = 0.0
            for here in range(place, word_end):
                judged = min(here + DELAY, end - 1)
                first = ((judged - here) * 2 + (here > place)) * kinds
                for kind in range(kinds):
                    total[kind] += tags[judged, first + kind]
            word = sizes[window]
            words[window, word, 0], words[window, word, 1] = place, word_end
            words[window, word, 2] = np.argmax(total)
            sizes[window] = word + 1
            place -= 1
    return sizes, unsure
