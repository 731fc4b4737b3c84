"""Sums, maxout and layer norm of the small network, compiled, in the order of thinc's; needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.passes import compile_kept

AT_ONCE = 4
"""Products that are added before a sum is stored; vectors have a multiple of it."""
BESIDE = 8
"""Sums side by side of ``np.add.reduce``, which adds up to 128 numbers so."""
TOGETHER = 16
"""Sums that weights are read for at once: with a few weights they fit into the nearest cache."""
TINY = np.float32(1e-8)


@compile_kept
def add_products(sums: Any, vectors: Any, rows: Any, weights: Any) -> None:
    """Add to ``sums`` (n, w) the products of some rows of ``vectors`` and of ``weights`` (d, w), in order.

    ``rows`` (n,): a negative one adds nothing. All sums take some weights before others are read.
    """
    for i in range(0, len(weights), AT_ONCE):
        wa, wb, wc, wd = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for number in range(len(sums)):
            if rows[number] < 0:
                continue
            vector, own = vectors[rows[number]], sums[number]
            a, b, c, d = vector[i], vector[i + 1], vector[i + 2], vector[i + 3]
            for unit in range(len(own)):
                own[unit] = (((own[unit] + a * wa[unit]) + b * wb[unit]) + c * wc[unit]) + d * wd[unit]


@compile_kept
def summed(values: Any) -> Any:
    """``np.add.reduce`` of at most 128 numbers, a multiple of 8."""
    a, b, c, d = values[0], values[1], values[2], values[3]
    e, f, g, h = values[4], values[5], values[6], values[7]
    for i in range(BESIDE, len(values), BESIDE):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@compile_kept
def best_of(sums: Any, terms: Any, best: Any) -> Any:
    """Maxout of ``sums`` (w,) and biases, the first terms, less its mean: ``best`` (out,); its variance."""
    out = len(best)
    pieces = len(sums) // out
    for unit in range(out):
        first = unit * pieces
        most = sums[first] + terms[first]
        for place in range(first + 1, first + pieces):
            value = sums[place] + terms[place]
            if value > most:
                most = value
        best[unit] = most
    size = np.float32(out)
    mean = summed(best) / size
    for unit in range(out):
        best[unit] -= mean
        sums[unit] = best[unit] * best[unit]
    return summed(sums[:out]) / size + TINY


@compile_kept
def scaled(best: Any, power: Any, terms: Any, unit: int) -> Any:
    """One number of a normalised layer: scale and shift are its last terms."""
    out = len(best)
    place = len(terms) - 2 * out + unit
    return best[unit] * power * terms[place] + terms[place + out]
