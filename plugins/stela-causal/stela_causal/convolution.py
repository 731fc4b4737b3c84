"""Layers of networks that see a place and what stands before it, compiled; importing this needs numba.

There is one thread, and sums are always in the same order: a place's values are the same bits in a text and
in a window of it, in any batch and on any machine. numba neither reorders nor fuses floating-point operations
unless it is told to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from stela_kernels.compiled_copy import copy as copy
from stela_kernels.passes import compile_kept

from stela_causal.layers import AT_ONCE, TAPS, Flags, Layer, Reals

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """``function`` compiled at its first call, and kept on disk where numba may write."""
    return cast(F, compile_kept(function, error_model="python"))


@compiled
def affine(seen: Reals, weight: Reals, bias: Reals) -> Reals:
    """(n, d) to (n, w): bias and products with ``weight`` (d, w), d a multiple of 4, all of one type.

    Four places share each pass over the weights: twice the speed of one (and a little more than a BLAS). The
    places left over have separate passes, with the same sums in the same order.
    """
    places, size = seen.shape
    width = weight.shape[1]
    out = np.empty((places, width), seen.dtype)
    together = places - places % AT_ONCE
    for place in range(0, together, AT_ONCE):
        seen_0, seen_1, seen_2, seen_3 = seen[place], seen[place + 1], seen[place + 2], seen[place + 3]
        total_0, total_1, total_2, total_3 = out[place], out[place + 1], out[place + 2], out[place + 3]
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
    for place in range(together, places):
        seen_0, total_0 = seen[place], out[place]
        for unit in range(width):
            total_0[unit] = bias[unit]
        for i in range(0, size, AT_ONCE):
            a0, b0, c0, d0 = seen_0[i], seen_0[i + 1], seen_0[i + 2], seen_0[i + 3]
            for unit in range(width):
                a, b = weight[i, unit], weight[i + 1, unit]
                c, d = weight[i + 2, unit], weight[i + 3, unit]
                total_0[unit] += a0 * a + b0 * b + c0 * c + d0 * d
    return out


@compiled
def add_positive(hidden: Reals, more: Reals, inside: Flags) -> None:
    """Add relu(``more``) to ``hidden`` (n, w) inside texts."""
    for place in range(len(hidden)):
        if inside[place]:
            for unit in range(hidden.shape[1]):
                if more[place, unit] > 0:
                    hidden[place, unit] += more[place, unit]


@compiled
def earlier(given: Reals, dilation: int) -> Reals:
    """(n, d) to (n, 3 d): what stands two and one ``dilation`` before each place, and there."""
    places, size = given.shape
    seen = np.zeros((places, TAPS * size), given.dtype)
    for place in range(places):
        for tap in range(TAPS):
            there = place - (TAPS - 1 - tap) * dilation
            if there >= 0:
                copy(given[there], seen[place, tap * size : (tap + 1) * size])
    return seen


def residual(given: Reals, inside: Flags, layers: Sequence[Layer], dilations: Sequence[int]) -> Reals:
    """(n, d) to (n, w): the sum of all layers, each a convolution of the sum before it, 0 outside texts.

    A place's value depends on the ``(TAPS - 1) * sum(dilations)`` places before it, and on itself.
    """
    hidden = np.zeros((len(given), len(layers[0][1])), given.dtype)
    for (weight, bias), dilation in zip(layers, dilations, strict=True):
        add_positive(hidden, affine(earlier(given, dilation), weight, bias), inside)
        given = hidden
    return hidden
