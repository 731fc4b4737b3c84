"""What the core takes of this library, under the name ``mark_kernels``: each by the fastest way there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stela_kernels import fused_bias
from stela_kernels.added_coins import compiled_adding
from stela_kernels.arrays import as_tensor
from stela_kernels.fused_bias import add_bias_to_array, suits_array
from stela_kernels.many_keys import keyed_sums

if TYPE_CHECKING:
    import torch

    from stela_kernels.split import FusedSplit, MaskSplit
    from stela_kernels.triton.rows import TritonSplit

    AnySplit = FusedSplit | MaskSplit | TritonSplit

__all__ = [
    "add_bias",
    "add_bias_to_array",
    "as_tensor",
    "compiled_adding",
    "keyed_sums",
    "mask_split",
    "split",
    "suits_array",
]


def add_bias(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> torch.Tensor:
    """New scores with ``biases[r]`` added to the green ids below ``vocab_size`` of row r.

    By one fused pass on a CPU or with Triton, else by torch operations. Arguments as for
    :func:`.torch_bias.add_bias`.
    """
    if fused_bias.suits(scores):
        return fused_bias.add_bias(scores, seeds, biases, vocab_size, gamma)
    if scores.dtype.itemsize == 2 and fused_bias.compiled() is not None:
        from stela_kernels import bfloat_rows

        if bfloat_rows.suits(scores):
            return bfloat_rows.add_bias(scores, seeds, biases, vocab_size, gamma)
    from stela_kernels import torch_bias
    from stela_kernels.gpu import gpu_kernels

    if kernels := gpu_kernels(scores):
        return kernels.add_bias(scores, seeds, biases, vocab_size, gamma)
    return torch_bias.add_bias(scores, seeds, biases, vocab_size, gamma)


def split(scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int, gamma: float) -> AnySplit:
    """Each row's split, by a fused pass on a CPU or with Triton, else by torch operations."""
    from stela_kernels import torch_bias
    from stela_kernels.gpu import gpu_kernels
    from stela_kernels.split import FusedSplit, MaskSplit

    if fused_bias.suits(scores):
        return FusedSplit(scores, seeds, vocab_size, gamma)
    if kernels := gpu_kernels(scores):
        return kernels.split(scores, seeds, vocab_size, gamma)
    return MaskSplit(scores, torch_bias.green(seeds, vocab_size, gamma, scores.device))


def mask_split(scores: torch.Tensor, masks: npt.NDArray[np.bool_]) -> MaskSplit:
    """A split by masks of green ids, (rows, vocab_size), on any device."""
    import torch

    from stela_kernels.split import MaskSplit

    return MaskSplit(scores, torch.from_numpy(masks).to(scores.device))
