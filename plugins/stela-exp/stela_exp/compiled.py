"""Costs of aligning a text with a key sequence, at every shift, compiled. Importing this needs numba.

All shifts are worked on side by side, in arrays that the compiler makes SIMD code of. Compiled at the first
use (some seconds), and kept on disk where numba finds a folder it may write to.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from stela_kernels.compiled_copy import copy
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

HALF = np.uint64(32)

LOG_2 = 0.6931471805599453

ODD = (3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0)
"""Denominators of the series of atanh. Its argument is at most a third."""

FAST = {"nnan", "nsz"}
"""What SIMD minima need; sums are taken in the order that is written."""


def exponential_costs(
    seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """``log(1 - xi)`` of tokens (m,) at places with these seeds (n,): float32 (m, n)."""
    out = np.empty((len(tokens), len(seeds)), dtype=np.float32)
    _EXPONENTIAL(seeds.astype(np.uint32), (seeds >> HALF).astype(np.uint32), tokens.astype(np.uint32), out)
    return out


def least_alignment(costs: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], block: int) -> float:
    """The least cost of any block of a text at any shift, token by token (Algorithm 3 with a plain sum).

    Args:
        costs: of each distinct token at each place, (m, n).
        rows: which row each of the text's tokens is, (tokens,).
        block: tokens of a block (k), at most those of the text.
    """
    return float(_ALIGNED(costs, rows, block))


def least_edit(
    costs: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], block: int, stride: int, edit_cost: float
) -> float:
    """The least Levenshtein cost of a block of a text and as many places from any shift on.

    Args:
        costs: of each distinct token at each place, (m, n).
        rows: which row each of the text's tokens is, (tokens,).
        block: tokens of a block (k), at most those of the text.
        stride: blocks begin at every ``stride``-th token, and one ends with the text.
        edit_cost: of a token or a place that is left out (gamma).
    """
    return float(_EDITED(costs, rows, block, stride, np.float32(edit_cost)))


def _exponential(low: Any, high: Any, tokens: Any, out: Any) -> None:
    """The core's mix (docs/hashing.md), and the logarithm: ``log(y) - 32 log 2`` of y = 2^32 - x.

    The compiler calls a library's logarithm number by number. Here y is parted into exponent and mantissa m,
    and ``log m = 2 atanh((m - 1) / (m + 1))`` by its series to 1e-10: plain arithmetic in
    loops over arrays, which SIMD code is made of.
    """
    places = low.shape[0]
    rest, exponents = np.empty(places), np.empty(places)
    bits = rest.view(np.int64)
    for row in range(tokens.shape[0]):
        token = tokens[row]
        for place in range(places):
            rest[place] = 4294967296.0 - np.float64(mixed_number(token, low[place], high[place]))
        for place in range(places):
            exponents[place] = np.float64(np.int32((bits[place] >> 52) - (1023 + 32)))
            bits[place] = (bits[place] & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000
        for place in range(places):
            part = (rest[place] - 1.0) / (rest[place] + 1.0)
            square = part * part
            series = 1.0
            power = 1.0
            for odd in ODD:
                power *= square
                series += power / odd
            out[row, place] = exponents[place] * LOG_2 + 2.0 * part * series


def _aligned(costs: Any, rows: Any, block: Any) -> Any:
    """Entry s of ``sums`` is a diagonal: the block that begins at token b with place (s + b) mod n."""
    n = costs.shape[1]
    sums = np.zeros(n)
    twice = np.empty(2 * n, dtype=np.float32)
    least = np.inf
    for t in range(rows.shape[0]):
        copy(costs[rows[t]], twice)
        copy(costs[rows[t]], twice[n:])
        _add(sums, twice[t % n : t % n + n], np.float32(1))
        if t >= block:
            copy(costs[rows[t - block]], twice)
            copy(costs[rows[t - block]], twice[n:])
            _add(sums, twice[(t - block) % n : (t - block) % n + n], np.float32(-1))
        if t >= block - 1:
            least = min(least, sums.min())
    return least


def _edited(costs: Any, rows: Any, block: Any, stride: Any, edit_cost: Any) -> Any:
    """Row i of the usual table, for all shifts s: ``old[j, s]`` costs i tokens and j places from s on."""
    n = costs.shape[1]
    old = np.empty((block + 1, n), dtype=np.float32)
    new = np.empty((block + 1, n), dtype=np.float32)
    twice = np.empty(2 * n, dtype=np.float32)
    least = np.float32(np.inf)
    last = rows.shape[0] - block
    start = 0
    while True:
        for j in range(block + 1):
            old[j, :] = np.float32(j) * edit_cost
        for i in range(block):
            copy(costs[rows[start + i]], twice)
            copy(costs[rows[start + i]], twice[n:])
            new[0, :] = np.float32(i + 1) * edit_cost
            for j in range(block):
                place = j % n
                _cells(old[j], old[j + 1], new[j], new[j + 1], twice[place : place + n], edit_cost)
            old, new = new, old
        least = min(least, old[block].min())
        if start == last:
            return least
        start = min(start + stride, last)


def _add_to(sums: Any, values: Any, sign: Any) -> None:
    for s in range(sums.shape[0]):
        sums[s] += sign * values[s]


def _cells_of(diagonal: Any, above: Any, left: Any, out: Any, costs: Any, edit_cost: Any) -> None:
    # Loops over arrays of their own from 0 to their end: in this shape SIMD code is made of them.
    for s in range(out.shape[0]):
        edited = min(above[s], left[s]) + edit_cost
        aligned = diagonal[s] + costs[s]
        out[s] = min(edited, aligned)


_add = numba.njit(fastmath=FAST)(_add_to)
_cells = numba.njit(fastmath=FAST)(_cells_of)
_EXPONENTIAL = compile_kept(_exponential, "void(u4[::1], u4[::1], u4[::1], f4[:,::1])", fastmath=FAST)
_ALIGNED = compile_kept(_aligned, "f8(f4[:,::1], i8[::1], i8)", fastmath=FAST)
_EDITED = compile_kept(_edited, "f4(f4[:,::1], i8[::1], i8, i8, f4)", fastmath=FAST)
