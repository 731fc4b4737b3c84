"""The draw of ``draws.py`` in one pass over a row of logits, compiled by numba.

Most tokens are soon beaten: one wins over the best sum B so far only where ``-log u < exp(logit - B)``. So
a block of tokens is asked first whether its largest logit is within the largest noise of B, and else nothing
of it is hashed; then each of its numbers is compared with the least that could win with that logit. What is
left, some dozens in a row, is looked at in double precision. Of equal sums the lowest id wins.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stela_kernels.compiled_largest import largest_logit
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

BLOCK = 128
"""Tokens of a block, which are looked at together."""

LARGEST = 22.88
"""A bound above the largest noise, ``-log(-log(1 - 2**-33))``, which is 22.874."""

u4 = np.uint32


def draw_rows(logits: Any, low: Any, high: Any, most: Any, chosen: Any) -> None:
    """Draw a token of each row.

    Args:
        logits: (rows, width) float32.
        low: the low halves of the rows' seeds, (rows,) uint32.
        high: the high halves, (rows,) uint32.
        most: gets logit and noise of each row's token, (rows, 1) float64; -inf where none is above -inf.
        chosen: gets the tokens, (rows, 1) int64; 0 where no logit is above -inf.
    """
    numbers, scratch = np.empty(BLOCK, dtype=np.uint32), np.empty(1, dtype=np.int32)
    for row in range(logits.shape[0]):
        own = logits[row]
        bits = own.view(np.int32)
        size, low_half, high_half = own.shape[0], low[row], high[row]
        best, token = -np.inf, 0
        for start in range(0, size, BLOCK):
            count = min(BLOCK, size - start)
            scratch[0] = largest_logit(bits[start : start + count])
            largest = scratch.view(np.float32)[0]
            if largest + LARGEST <= best:
                continue
            for j in range(count):
                numbers[j] = mixed_number(start + j, low_half, high_half)
            least = u4(0)
            if largest < best:  # u of what wins is above exp(-exp(logit - best)); two, for rounding
                least = u4(max(0.0, 4294967296.0 * math.exp(-math.exp(largest - best)) - 2.0))
            for j in range(count):
                if numbers[j] >= least:
                    value = own[start + j] - math.log(-math.log((float(numbers[j]) + 0.5) / 4294967296.0))
                    if value > best:
                        best, token = value, start + j
        most[row, 0], chosen[row, 0] = best, token


draw_rows = compile_kept(draw_rows, "void(f4[:,::1], u4[::1], u4[::1], f8[:,::1], i8[:,::1])")
