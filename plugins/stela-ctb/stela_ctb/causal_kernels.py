"""The arithmetic of the causal models, compiled: one thread, 32 bits, and sums always in the same order.

A place's scores are the same bits in a text and in a window of it, in any batch and on any machine: numba
neither reorders nor fuses floating-point operations unless it is told to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_ctb.causal_network import DELAY
from stela_ctb.kernels import AT_ONCE, Flags, Ids, compiled

Floats32 = npt.NDArray[np.float32]


@compiled
def earlier(given: Floats32, dilation: int) -> Floats32:
    """(n, d) to (n, 3 d): what stands two and one ``dilation`` before each place, and there."""
    places, size = given.shape
    seen = np.zeros((places, 3 * size), np.float32)
    for place in range(places):
        for tap in range(3):
            there = place - (2 - tap) * dilation
            if there >= 0:
                seen[place, tap * size : (tap + 1) * size] = given[there]
    return seen


@compiled
def affine(seen: Floats32, weight: Floats32, bias: Floats32) -> Floats32:
    """(n, d) to (n, w): bias and products with ``weight`` (d, w), d a multiple of 4."""
    places, size = seen.shape
    width = weight.shape[1]
    out = np.empty((places, width), np.float32)
    total = np.empty((AT_ONCE, width), np.float32)
    total_0, total_1, total_2, total_3 = total[0], total[1], total[2], total[3]
    for place in range(0, places, AT_ONCE):
        seen_0 = seen[place]
        seen_1 = seen[min(place + 1, places - 1)]
        seen_2 = seen[min(place + 2, places - 1)]
        seen_3 = seen[min(place + 3, places - 1)]
        for unit in range(width):
            total_0[unit] = total_1[unit] = total_2[unit] = total_3[unit] = bias[unit]
        for i in range(0, size, AT_ONCE):
            a0, b0, c0, d0 = seen_0[i], seen_0[i + 1], seen_0[i + 2], seen_0[i + 3]
            a1, b1, c1, d1 = seen_1[i], seen_1[i + 1], seen_1[i + 2], seen_1[i + 3]
            a2, b2, c2, d2 = seen_2[i], seen_2[i + 1], seen_2[i + 2], seen_2[i + 3]
            a3, b3, c3, d3 = seen_3[i], seen_3[i + 1], seen_3[i + 2], seen_3[i + 3]
            for unit in range(width):
                a, b = weight[i, unit], weight[i + 1, unit]
                c, d = weight[i + 2, unit], weight[i + 3, unit]
                total_0[unit] += a0 * a + b0 * b + c0 * c + d0 * d
                total_1[unit] += a1 * a + b1 * b + c1 * c + d1 * d
                total_2[unit] += a2 * a + b2 * b + c2 * c + d2 * d
                total_3[unit] += a3 * a + b3 * b + c3 * c + d3 * d
        for here in range(place, min(place + AT_ONCE, places)):
            out[here] = total[here - place]
    return out


@compiled
def add_positive(hidden: Floats32, more: Floats32, inside: Flags) -> None:
    """Add relu(``more``) to ``hidden`` (n, w) inside texts."""
    for place in range(len(hidden)):
        if inside[place]:
            for unit in range(hidden.shape[1]):
                hidden[place, unit] += max(more[place, unit], np.float32(0.0))


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
        cut_from: (m,) first place of each window whose ``begins`` depend on the window alone.
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
