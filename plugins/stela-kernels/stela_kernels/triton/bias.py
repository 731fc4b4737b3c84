"""Bias on green logits in one fused pass on a GPU, by Triton, which comes with torch for CUDA."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from stela_core.api import threshold
from stela_kernels.arrays import halves, to_device

BLOCK = 1024
"""Ids that one program of the kernel takes."""


def add_bias(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> torch.Tensor:
    """New scores with ``biases[r]`` added to the green ids below ``vocab_size`` of row r.

    Args:
        scores: (rows, width), on a CUDA device, each row contiguous; left as it was.
        seeds: (rows,).
        biases: (rows,), in nats.
        vocab_size: at most width; ids from here on are copied.
        gamma: share of green ids.
    """
    from stela_kernels.triton.kernels import bias_block

    rows, width = scores.shape
    low, high = (to_device(half.view(np.int32), scores.device) for half in halves(seeds))
    shifts = to_device(np.asarray(biases, dtype=np.float32), scores.device)
    out = torch.empty((rows, width), dtype=scores.dtype, device=scores.device)
    grid = (rows, -(-width // BLOCK))
    bias_block[grid](
        scores, out, low, high, shifts, width, vocab_size, threshold(gamma), scores.stride(0), BLOCK=BLOCK
    )
    return out
