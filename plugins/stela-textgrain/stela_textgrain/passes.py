"""The compiled passes of ``fused.py``; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

u8 = np.uint64


@compile_kept
def add_masses(probs: Any, lows: Any, highs: Any, blocks: Any, sums: Any) -> None:
    """Write each id's block, (rows, ids), and add its probability to the block's, (rows, count)."""
    count, ids = u8(sums.shape[1]), probs.shape[1]
    # Four sums of each block: an addition need not wait for the one before it.
    parts = np.empty((sums.shape[1], 4))
    for row in range(len(probs)):
        low, high, own, p = lows[row], highs[row], blocks[row], probs[row]
        for v in range(ids):  # SIMD
            own[v] = np.uint8(u8(mixed_number(v, low, high)) * count >> u8(32))
        parts[:] = 0
        for v in range(ids):
            x = p[v]
            if x > 0:
                parts[own[v], v & 3] += x
        for block in range(sums.shape[1]):
            sums[row, block] = parts[block, 0] + parts[block, 1] + parts[block, 2] + parts[block, 3]


@compile_kept
def spread_lifts(lifts: Any, blocks: Any, out: Any) -> None:
    """Write the lift of each id's block, (rows, ids)."""
    for row in range(len(out)):
        for v in range(out.shape[1]):
            out[row, v] = lifts[row, blocks[row, v]]
