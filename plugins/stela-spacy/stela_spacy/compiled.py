"""The small network's convolutions and its output, compiled, each sum in the order of thinc's; needs numba.

``variance ** -0.5`` stands between the passes: its last bit is numpy's own on each machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.passes import compile_kept

from stela_spacy.compiled_sums import TOGETHER, add_products, best_of, scaled

ZERO = np.float32(0)


@compile_kept
def normalise(best: Any, powers: Any, terms: Any, out: Any, start: int) -> None:
    """Normalised rows of a layer, as many as there are powers, into ``out`` from a row on."""
    for row in range(len(powers)):
        for unit in range(best.shape[1]):
            out[start + row, unit] = scaled(best[row], powers[row], terms, unit)


@compile_kept
def convolve_first(
    rows: Any,
    at: Any,
    vectors: Any,
    weights: Any,
    terms: Any,
    residual: Any,
    near: Any,
    best: Any,
    variances: Any,
) -> int:
    """The first convolution at some places and next to them, each once; not normalised yet.

    Args:
        rows: (m,) int64, of each token its row of ``vectors``; row 0, which lies outside, is zero.
        at: (n,) int64, places in ``rows``.
        vectors: (rows, width).
        weights: (3 width, out * pieces).
        terms: biases, scale, shift.
        residual: (3 n,) int64, written to: of each result the row of ``vectors`` in its middle.
        near: (n, 3) int64, written to: of each place the results at its three.
        best: (3 n, out), written to: the results.
        variances: (3 n,), written to.

    Returns:
        the number of results.
    """
    width = vectors.shape[1]
    of_place = np.full(len(rows), -1)
    places = np.empty(3 * len(at), dtype=np.int64)
    results = 0
    for number in range(len(at)):
        for side in range(3):
            place = at[number] + side - 1
            if of_place[place] < 0:
                of_place[place] = results
                places[results] = place
                residual[results] = rows[place]
                results += 1
            near[number, side] = of_place[place]
    picked = np.empty(TOGETHER, dtype=np.int64)
    for begin in range(0, results, TOGETHER):
        count = min(TOGETHER, results - begin)
        sums = np.zeros((count, weights.shape[1]), dtype=np.float32)
        for side in range(3):
            for number in range(count):
                picked[number] = _inside(rows[places[begin + number] + side - 1])
            add_products(sums, vectors, picked, weights[side * width : (side + 1) * width])
        for number in range(count):
            variances[begin + number] = best_of(sums[number], terms, best[begin + number])
    return results


@compile_kept
def _inside(row: Any) -> Any:
    """A row of vectors; -1 for what lies outside, which adds nothing."""
    return row if row else -1


@compile_kept
def convolve_neighbours(
    three: Any, vectors: Any, weights: Any, terms: Any, best: Any, variances: Any
) -> None:
    """The first convolution of different neighbours, in the order of the first, then of the second.

    Sums over one neighbour, over two, over three: each goes on from those before.

    Args:
        three: (n, 3) int64, rows of ``vectors``.
        vectors: and the others as in :func:`convolve_first`.
        weights: (3 width, out * pieces).
        terms: biases, scale, shift.
        best: (n, out), written to.
        variances: (n,), written to.
    """
    width, wide = vectors.shape[1], weights.shape[1]
    firsts, seconds, thirds = (
        np.empty(TOGETHER, dtype=np.int64),
        np.empty(TOGETHER, dtype=np.int64),
        np.empty(TOGETHER, dtype=np.int64),
    )
    first_of, pair_of = np.empty(TOGETHER, dtype=np.int64), np.empty(TOGETHER, dtype=np.int64)
    sums, of_pairs = (
        np.empty((TOGETHER, wide), dtype=np.float32),
        np.empty((TOGETHER, wide), dtype=np.float32),
    )
    for begin in range(0, len(three), TOGETHER):
        count = min(TOGETHER, len(three) - begin)
        ones = pairs = 0
        for number in range(count):
            one, two = three[begin + number, 0], three[begin + number, 1]
            other = number == 0 or one != three[begin + number - 1, 0]
            if other:
                firsts[ones] = _inside(one)
                ones += 1
            if other or two != three[begin + number - 1, 1]:
                first_of[pairs] = ones - 1
                seconds[pairs] = _inside(two)
                pairs += 1
            pair_of[number] = pairs - 1
            thirds[number] = _inside(three[begin + number, 2])
        sums[:ones] = ZERO
        add_products(sums[:ones], vectors, firsts, weights[:width])
        for number in range(pairs):
            of_pairs[number] = sums[first_of[number]]
        add_products(of_pairs[:pairs], vectors, seconds, weights[width : 2 * width])
        for number in range(count):
            sums[number] = of_pairs[pair_of[number]]
        add_products(sums[:count], vectors, thirds, weights[2 * width :])
        for number in range(count):
            variances[begin + number] = best_of(sums[number], terms, best[begin + number])


@compile_kept
def convolve_second(
    near: Any,
    residual: Any,
    vectors: Any,
    inner: Any,
    powers: Any,
    first_terms: Any,
    weights: Any,
    terms: Any,
    best: Any,
    variances: Any,
) -> None:
    """The second convolution, of what the first one left in ``inner``, which is normalised here.

    Each of the n results comes of three rows of ``inner``, which are ``near`` (n, 3).
    """
    width = vectors.shape[1]
    for number in range(len(powers)):
        vector, own = vectors[residual[number]], inner[number]
        for unit in range(width):
            own[unit] = scaled(own, powers[number], first_terms, unit) + vector[unit]
    picked = np.empty(TOGETHER, dtype=np.int64)
    for begin in range(0, len(near), TOGETHER):
        count = min(TOGETHER, len(near) - begin)
        sums = np.zeros((count, weights.shape[1]), dtype=np.float32)
        for side in range(3):
            for row in range(count):
                picked[row] = near[begin + row, side]
            add_products(sums, inner, picked, weights[side * width : (side + 1) * width])
        for row in range(count):
            variances[begin + row] = best_of(sums[row], terms, best[begin + row])


@compile_kept
def put_out(
    best: Any,
    powers: Any,
    terms: Any,
    inner: Any,
    near: Any,
    weights: Any,
    bias: Any,
    scores: Any,
    labels: Any,
) -> None:
    """The output layer of the second convolution, which is normalised here: scores (n, labels).

    ``labels`` (n,) is written to: the number of the best score, the first of equals.
    """
    count = len(powers)
    for row in range(count):
        own, residual = best[row], inner[near[row, 1]]
        for unit in range(len(own)):
            own[unit] = scaled(own, powers[row], terms, unit) + residual[unit]
    scores[:count] = ZERO
    add_products(scores[:count], best, np.arange(count), weights)
    for row in range(count):
        sums, highest = scores[row], 0
        for label in range(len(sums)):
            sums[label] += bias[label]
            if sums[label] > sums[highest]:
                highest = label
        labels[row] = highest
