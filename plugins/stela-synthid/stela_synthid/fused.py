"""The tournament's update in one pass a layer over each row, compiled: the fast path on a CPU.

A layer's pass applies the factors of the layer before it and sums its own mass, so that each
probability is read once a layer. Sums are in float32 within a block and in float64 across blocks.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from stela_kernels.passes import compile_kept

from stela_synthid.ngrams import MULTIPLIER

if TYPE_CHECKING:
    import torch

BLOCK = 4096
"""Tokens of a block."""


def suits(scores: torch.Tensor) -> bool:
    """Whether :func:`update` can do it: logits of at most 32 bits on a CPU, and numba is installed."""
    import torch

    return scores.device.type == "cpu" and scores.dtype != torch.float64 and find_spec("numba") is not None


def update(
    scores: torch.Tensor,
    columns: torch.Tensor | None,
    seeds: npt.NDArray[np.uint64],
    words: npt.NDArray[np.uint64],
    depth: int,
    leaves: int,
) -> torch.Tensor:
    """New logits (rows, tokens) of the type of ``scores``.

    Args:
        scores: logits (rows, tokens).
        columns: ids of the tokens, (rows, tokens); ``None`` for all ids in their order.
        seeds: hashes of the rows' contexts, (rows,).
        words: bits of all coins, (size,).
        depth: number of layers, at most 64.
        leaves: candidates of a match.
    """
    import torch

    # In float32 as the plain path's, by torch's own exponential.
    probs = torch.softmax(scores.float(), dim=1).contiguous()
    tokens = probs.shape[1]
    ids = np.empty((1, 0), dtype=np.int64) if columns is None else columns.contiguous().numpy()
    bits = np.empty((2, tokens), dtype=np.uint32)
    _compiled()(probs.numpy(), ids, seeds, words, np.uint64(len(words) - 1), depth, leaves, bits)
    return torch.log_(probs).to(scores.dtype)


def _update_rows(
    probs: Any, ids: Any, seeds: Any, words: Any, mask: Any, depth: int, leaves: int, bits: Any
) -> None:
    multiplier, one = np.uint64(MULTIPLIER), np.uint64(1)
    tokens = probs.shape[1]
    for row in range(probs.shape[0]):
        for v in range(tokens):
            token = np.uint64(ids[row, v]) if ids.shape[1] else np.uint64(v)
            hashed = (seeds[row] + token) * multiplier + one
            word = words[hashed * multiplier & mask]
            bits[0, v] = np.uint32(word)
            bits[1, v] = np.uint32(word >> np.uint64(32))
        # The factors of no layer.
        green: Any = np.float32(1)
        other: Any = np.float32(1)
        for layer in range(depth + 1):
            before = np.uint32(max(layer - 1, 0) % 32)
            now = np.uint32(layer % 32)
            mass = 0.0
            for start in range(0, tokens, BLOCK):
                stop = min(start + BLOCK, tokens)
                p = probs[row, start:stop]
                last, own = bits[max(layer - 1, 0) // 32, start:stop], bits[min(layer // 32, 1), start:stop]
                part: Any = np.float32(0)
                for v in range(stop - start):
                    factor = green if (last[v] >> before) & np.uint32(1) else other
                    x = p[v] * factor
                    p[v] = x
                    part += x if (own[v] >> now) & np.uint32(1) else np.float32(0)
                mass += part
            rest = max(0.0, 1.0 - mass)
            total, power = 1.0, 1.0
            for _ in range(leaves - 1):
                power *= rest
                total += power
            green, other = np.float32(total), np.float32(power)


@cache
def _compiled() -> Any:
    """The pass in machine code, kept on disk where numba finds a folder it may write to."""
    signature = "void(f4[:,::1], i8[:,::1], u8[::1], u8[::1], u8, i8, i8, u4[:,::1])"
    # Sums in any order; infinities and zeros keep their meaning.
    return compile_kept(_update_rows, signature, fastmath={"reassoc", "contract", "nsz"})
