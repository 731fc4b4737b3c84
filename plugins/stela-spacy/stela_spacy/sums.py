"""Products of vectors and weights, added up one after the other, so that sums with the same begin share it.

thinc's BLIS adds the products of a row up in an order that depends on the machine. Where it is the plain one,
``((w1 x1 + w2 x2) + w3 x3) + ...``, each rounded, the sum over three neighbours goes on from the sum over the
first two, to the same bits. Whether it is the plain one is found out by comparing bits, not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stela_core.api import compile_kept
from stela_spacy.kernels import Floats, MaxoutNorm

AT_ONCE = 4
PROBES = (1, 6, 37)
"""Rows that are compared: BLIS works on six at a time, and on what is left over in another way."""
WORTH = 4_096
"""Words that were scored before numba is loaded for it, which takes longer than some texts."""

Add = Callable[[Floats, Floats, Floats], None]


def _add_products(sums: Floats, vectors: Floats, weights: Floats) -> None:
    """Add to ``sums`` (n, w) the products of ``vectors`` (n, d) and ``weights`` (d, w), d a multiple of 4."""
    rows, size = vectors.shape
    width = sums.shape[1]
    for row in range(0, rows - AT_ONCE + 1, AT_ONCE):
        s0, s1, s2, s3 = sums[row], sums[row + 1], sums[row + 2], sums[row + 3]
        v0, v1, v2, v3 = vectors[row], vectors[row + 1], vectors[row + 2], vectors[row + 3]
        for i in range(0, size, AT_ONCE):
            a0, b0, c0, d0 = v0[i], v0[i + 1], v0[i + 2], v0[i + 3]
            a1, b1, c1, d1 = v1[i], v1[i + 1], v1[i + 2], v1[i + 3]
            a2, b2, c2, d2 = v2[i], v2[i + 1], v2[i + 2], v2[i + 3]
            a3, b3, c3, d3 = v3[i], v3[i + 1], v3[i + 2], v3[i + 3]
            for unit in range(width):
                a, b = weights[i, unit], weights[i + 1, unit]
                c, d = weights[i + 2, unit], weights[i + 3, unit]
                s0[unit] = (((s0[unit] + a0 * a) + b0 * b) + c0 * c) + d0 * d
                s1[unit] = (((s1[unit] + a1 * a) + b1 * b) + c1 * c) + d1 * d
                s2[unit] = (((s2[unit] + a2 * a) + b2 * b) + c2 * c) + d2 * d
                s3[unit] = (((s3[unit] + a3 * a) + b3 * b) + c3 * c) + d3 * d
    for row in range(rows - rows % AT_ONCE, rows):
        for i in range(size):
            value = vectors[row, i]
            for unit in range(width):
                sums[row, unit] = sums[row, unit] + value * weights[i, unit]


def adder(layers: Sequence[MaxoutNorm]) -> Add | None:
    """What adds products up to the bits of the layers' gemm; ``None`` where nothing here does."""
    try:
        add: Add = compile_kept(_add_products)
    except ImportError:  # numba is not installed, or not beside this numpy
        return None
    return add if all(_same_bits(add, layer) for layer in layers) else None


def _same_bits(add: Add, layer: MaxoutNorm) -> bool:
    turned = layer.turned
    if len(turned) % (3 * AT_ONCE):
        return False
    random = np.random.default_rng(0)
    for rows in PROBES:
        vectors = random.normal(size=(rows, len(turned))).astype(np.float32)
        sums = np.zeros((rows, turned.shape[1]), dtype=np.float32)
        add(sums, vectors, turned)
        if not np.array_equal(sums, layer.products(vectors)):
            return False
    return True
