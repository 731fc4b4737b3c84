"""Entropy and green mass of rows of logits, one pass over each row: the fast path on a CPU.

Importing this module needs numba, and compiles (about two seconds, then kept on disk). The passes walk a
row in blocks that are separate arrays, with sums in float32 within a block and in float64 across
them: in this shape the compiler makes SIMD code of all of it, and a sum over a vocabulary is exact to
a few 1e-7.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from stela_core.api import threshold
from stela_kernels.arrays import halves
from stela_kernels.compiled_copy import copy
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

BLOCK = 512
"""Ids of a block: so few that small terms are not lost next to large ones in a sum of float32."""

LOG2_E = np.float32(1.4426950408889634)
LN_2 = 0.6931471805599453
LOWEST = np.float32(-126.0)
"""Powers of two below ``2**-126`` are taken for it: no denormals, and ``-inf`` is a number."""

FAST = {"reassoc", "contract", "nsz", "nnan", "arcp"}
"""What SIMD sums need; infinities keep their meaning."""


def entropies(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Shannon entropies (nats) of ``softmax(scores)``, (rows, width) -> (rows,)."""
    nats = np.empty(len(scores))
    ENTROPIES(scores, nats)
    return nats


def split(
    scores: npt.NDArray[np.float32],
    seeds: npt.NDArray[np.uint64],
    vocab_size: int,
    gamma: float,
    mask: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]:
    """Probability mass of each row's green ids, (rows,); ``mask`` (rows, width) becomes 1 where green."""
    masses = np.empty(len(scores))
    low, high = halves(seeds)
    SPLIT(scores, mask, low, high, vocab_size, np.uint32(threshold(gamma)), masses)
    return masses


def apply(
    scores: npt.NDArray[np.float32],
    mask: npt.NDArray[np.float32],
    biases: npt.NDArray[np.float32],
    vocab_size: int,
) -> None:
    """Turn ``mask`` into the scores with ``biases[r]`` added where it was 1."""
    APPLY(scores, mask, biases, vocab_size)


def _power_of_two(y: Any) -> Any:
    """``2**y`` for y in [-126, 127]: Taylor polynomial on [-1/2, 1/2], then the exponent's bits."""
    whole = np.floor(y + np.float32(0.5))
    f = y - whole
    p = np.float32(1.5403530393381608e-4) * f + np.float32(1.3333558146428443e-3)
    p = p * f + np.float32(9.618129107628477e-3)
    p = p * f + np.float32(5.550410866482158e-2)
    p = p * f + np.float32(2.402265069591007e-1)
    p = p * f + np.float32(6.931471805599453e-1)
    p = p * f + np.float32(1.0)
    return p * np.int32(whole * np.float32(8388608.0) + np.float32(1065353216.0)).view(np.float32)


def _largest(row: Any) -> Any:
    """The maximum, by way of whole numbers in the same order: SIMD code is made only of those."""
    most = np.int32(-2147483648)
    for v in range(row.shape[0]):
        bits = np.float32(row[v]).view(np.int32)
        most = max(most, np.int32(bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))))
    return np.int32(most ^ ((most >> np.int32(31)) & np.int32(0x7FFFFFFF))).view(np.float32)


exp2 = numba.njit(inline="always")(_power_of_two)
largest = numba.njit(inline="always")(_largest)


def _entropy_rows(scores: Any, nats: Any) -> None:
    width = scores.shape[1]
    for row in range(scores.shape[0]):
        top = largest(scores[row]) * LOG2_E
        total = 0.0
        moment = 0.0
        for start in range(0, width, BLOCK):
            source = scores[row, start : min(start + BLOCK, width)]
            t: Any = np.float32(0)
            m: Any = np.float32(0)
            for v in range(source.shape[0]):
                y = max(source[v] * LOG2_E - top, LOWEST)
                e = exp2(y)
                t += e
                m += e * y
            total += t
            moment += m
        nats[row] = math.log(total) - LN_2 * moment / total


def _split_rows(scores: Any, mask: Any, low: Any, high: Any, vocab_size: int, below: Any, mass: Any) -> None:
    """The sums of each row and of its green ids, by the colours of ``mixing.py``."""
    for row in range(scores.shape[0]):
        top = largest(scores[row]) * LOG2_E
        s0, s1 = low[row], high[row]
        total = 0.0
        green = 0.0
        for start in range(0, vocab_size, BLOCK):
            stop = min(start + BLOCK, vocab_size)
            source, target, first = scores[row, start:stop], mask[row, start:stop], np.uint32(start)
            # A loop for each, of which the second finds in the cache what the first wrote: faster than one.
            for v in range(stop - start):
                x = mixed_number(np.uint32(v) + first, s0, s1)
                target[v] = np.float32(1) if x < below else np.float32(0)
            t: Any = np.float32(0)
            g: Any = np.float32(0)
            for v in range(stop - start):
                e = exp2(max(source[v] * LOG2_E - top, LOWEST))
                t += e
                g += e * target[v]
            total += t
            green += g
        rest = scores[row, vocab_size:]
        for v in range(rest.shape[0]):
            total += exp2(max(rest[v] * LOG2_E - top, LOWEST))
        mass[row] = green / total


def _apply_rows(scores: Any, mask: Any, biases: Any, vocab_size: int) -> None:
    for row in range(scores.shape[0]):
        source, target, bias = scores[row], mask[row], biases[row]
        for v in range(vocab_size):
            target[v] = source[v] + bias * target[v]
        copy(source[vocab_size:], target[vocab_size:])


ENTROPIES = compile_kept(_entropy_rows, "void(f4[:,::1], f8[::1])", fastmath=FAST)
SPLIT = compile_kept(
    _split_rows, "void(f4[:,::1], f4[:,::1], u4[::1], u4[::1], i8, u4, f8[::1])", fastmath=FAST
)
APPLY = compile_kept(_apply_rows, "void(f4[:,::1], f4[:,::1], f4[::1], i8)", fastmath=FAST)
