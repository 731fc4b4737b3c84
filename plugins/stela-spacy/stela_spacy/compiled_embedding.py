"""The small network's hashed embedding, compiled, each sum in the order of thinc's; needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.passes import compile_kept

from stela_spacy.compiled_sums import TOGETHER, add_products, best_of

u8 = np.uint64
BLOCK = 256
"""Products that thinc's gemm adds up before it adds the sum to those before."""


@compile_kept
def embed(
    ids: Any, table: Any, seeds: Any, sizes: Any, weights: Any, terms: Any, best: Any, variances: Any
) -> None:
    """Rows of tables that ids hash to, added up, mixed by a maxout; not normalised yet.

    Args:
        ids: (n, tables) uint64, in the order of the tables.
        table: all tables, one below the other.
        seeds: (tables,) uint64.
        sizes: (tables,) uint64, rows of each.
        weights: (tables * width, out * pieces).
        terms: biases, scale, shift.
        best: (n or more, out), written to.
        variances: (n or more,), written to.
    """
    width = table.shape[1]
    hashed = np.empty(4, dtype=np.uint64)
    for begin in range(0, len(ids), TOGETHER):
        count = min(TOGETHER, len(ids) - begin)
        vectors = np.zeros((count, len(seeds) * width), dtype=np.float32)
        for row in range(count):
            start = u8(0)
            for number in range(len(seeds)):
                _hash(ids[begin + row, number], seeds[number], hashed)
                part = vectors[row, number * width : (number + 1) * width]
                for key in hashed:
                    one = table[start + key % sizes[number]]
                    for unit in range(width):
                        part[unit] += one[unit]
                start += sizes[number]
        rows = np.arange(count)
        sums = np.zeros((count, weights.shape[1]), dtype=np.float32)
        add_products(sums, vectors, rows, weights[:BLOCK])
        for first in range(BLOCK, len(weights), BLOCK):
            more = np.zeros_like(sums)
            add_products(more, vectors[:, first:], rows, weights[first : first + BLOCK])
            sums += more
        for row in range(count):
            variances[begin + row] = best_of(sums[row], terms, best[begin + row])


@compile_kept
def _hash(value: Any, seed: Any, out: Any) -> None:
    """``MurmurHash3_x86_128_uint64`` of thinc: four 32-bit numbers."""
    one = value * u8(0x87C37B91114253D5)
    one = (one << u8(31)) | (one >> u8(33))
    one *= u8(0x4CF5AD432745937F)
    one ^= seed
    one ^= u8(8)
    two = seed ^ u8(8)
    one += two
    two += one
    one = _mixed(one)
    two = _mixed(two)
    one += two
    two += one
    low = u8(0xFFFFFFFF)
    out[0], out[1], out[2], out[3] = one & low, one >> u8(32), two & low, two >> u8(32)


@compile_kept
def _mixed(number: Any) -> Any:
    number ^= number >> u8(33)
    number *= u8(0xFF51AFD7ED558CCD)
    number ^= number >> u8(33)
    number *= u8(0xC4CEB9FE1A85EC53)
    return number ^ (number >> u8(33))
