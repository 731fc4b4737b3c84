"""The arithmetic of the causal tagger, compiled: one thread, 32 bits, and sums always in the same order.

A place's scores are the same bits in a text and in a window of it, in any batch and on any machine: numba
neither reorders nor fuses floating-point operations unless it is told to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from stela_core.api import compile_kept
from stela_sejong.causal_characters import Flags, Ids

Floats32 = npt.NDArray[np.float32]

F = TypeVar("F", bound=Callable[..., Any])

AT_ONCE = 4
"""Places, and inputs of each, that are multiplied in one pass over the outputs."""
TAPS = 3
"""A convolution sees a place and those one and two ``dilation`` steps before it."""


def compiled(function: F) -> F:
    """``function`` compiled at its first call, and kept on disk where numba may write."""
    return cast(F, compile_kept(function, error_model="python"))


@compiled
def affine(seen: Floats32, weight: Floats32, bias: Floats32) -> Floats32:
    """(n, d) to (n, w): bias and products with ``weight`` (d, w), d a multiple of 4.

    Four places share each pass over the weights.
    """
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
def earlier(given: Floats32, dilation: int) -> Floats32:
    """(n, d) to (n, 3 d): what stands two and one ``dilation`` before each place, and there."""
    places, size = given.shape
    seen = np.zeros((places, TAPS * size), np.float32)
    for place in range(places):
        for tap in range(TAPS):
            there = place - (TAPS - 1 - tap) * dilation
            if there >= 0:
                seen[place, tap * size : (tap + 1) * size] = given[there]
    return seen


@compiled
def add_positive(hidden: Floats32, more: Floats32, inside: Flags) -> None:
    """Add relu(``more``) to ``hidden`` (n, w) inside texts."""
    for place in range(len(hidden)):
        if inside[place]:
            for unit in range(hidden.shape[1]):
                if more[place, unit] > 0:
                    hidden[place, unit] += more[place, unit]


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
        sure_from: (m,) first place of each window whose labels depend on the window alone.
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
