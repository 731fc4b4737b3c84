"""The arithmetic of the fast paths, compiled: one thread, and sums always in the same order.

A place's scores are the same bits whatever stands around its text, in any batch and on any machine:
numba neither reorders nor fuses floating-point operations unless it is told to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_causal.convolution import add_positive, affine, compiled, copy

from stela_ctb.boundaries import B, E, M, S

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int64]


@compiled
def convolve(given: Floats, inside: Flags, weight: Floats, bias: Floats, dilation: int, out: Floats) -> None:
    """Add relu(convolution of ``given`` (n, d)) to ``out`` (n, w) inside texts; ``given`` is 0 outside.

    ``weight`` (3 d, w): for what stands ``dilation`` before, here, and behind; d a multiple of 4.
    """
    places, size = given.shape
    seen = np.zeros((places, 3 * size))
    for place in range(places):
        if inside[place]:
            copy(given[place], seen[place, size : 2 * size])
            if place >= dilation:
                copy(given[place - dilation], seen[place, :size])
            if place + dilation < places:
                copy(given[place + dilation], seen[place, 2 * size :])
    add_positive(out, affine(seen, weight, bias), inside)


@compiled
def classify(given: Floats, inside: Flags, weight: Floats, bias: Floats, out: Floats) -> None:
    """Put the scores (n, labels) of ``given`` (n, w) into ``out``; ``weight`` is (w, labels)."""
    for place in range(len(given)):
        if inside[place]:
            for label in range(out.shape[1]):
                out[place, label] = bias[label]
            for unit in range(given.shape[1]):
                value = given[place, unit]
                for label in range(out.shape[1]):
                    out[place, label] += value * weight[unit, label]


@compiled
def best_labels(scores: Floats, space: Flags) -> Ids:
    """(n,) best labels of (n, 4) scores, -1 at ``space``: Viterbi between one space and the next.

    As :func:`stela_ctb.boundaries.best_labels`, which says what ties give.
    """
    places = len(scores)
    labels = np.full(places, -1)
    best = np.empty((places, 4))
    back = np.zeros((places, 4), np.int64)
    never = -1e9
    place = 0
    while place < places:
        if space[place]:
            place += 1
            continue
        start = place
        best[place, B], best[place, S] = scores[place, B], scores[place, S]
        best[place, M], best[place, E] = scores[place, M] + never, scores[place, E] + never
        place += 1
        while place < places and not space[place]:
            before = best[place - 1]
            # After B or M comes M or E; after E or S comes B or S.
            going = B if before[B] >= before[M] else M
            done = E if before[E] >= before[S] else S
            back[place, M] = back[place, E] = going
            back[place, B] = back[place, S] = done
            best[place, M] = before[going] + scores[place, M]
            best[place, E] = before[going] + scores[place, E]
            best[place, B] = before[done] + scores[place, B]
            best[place, S] = before[done] + scores[place, S]
            place += 1
        label = E if best[place - 1, E] >= best[place - 1, S] else S
        for here in range(place - 1, start - 1, -1):
            labels[here] = label
            label = back[here, label]
    return labels


@compiled
def best_tags(scores: Floats, starts: Ids, ends: Ids) -> Ids:
    """(w,) the tag of highest mean score (n, tags) over each word's places; the first of equal ones."""
    labels = np.empty(len(starts), np.int64)
    total = np.empty(scores.shape[1])
    for word in range(len(starts)):
        total[:] = 0.0
        for place in range(starts[word], ends[word]):
            for tag in range(len(total)):
                total[tag] += scores[place, tag]
        labels[word] = np.argmax(total)
    return labels
