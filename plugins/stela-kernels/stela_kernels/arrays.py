"""Arrays as torch tensors, on this host or a device."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import stela_core as stela

if TYPE_CHECKING:
    import torch


def as_tensor(scores: npt.NDArray[Any], needed_for: str) -> torch.Tensor:
    """The logits as a tensor on the CPU, in the same memory where torch can take it.

    Raises:
        StelaError: torch is not installed, or has no such type of numbers.
    """
    if find_spec("torch") is None:
        raise stela.MissingLibraryError("torch", needed_for, '"stela-core[generate]"')
    import torch

    plain = scores.flags.writeable and scores.dtype.isnative and min(scores.strides, default=0) >= 0
    try:
        return torch.from_numpy(
            scores if plain else np.array(scores, dtype=scores.dtype.newbyteorder("="), order="C")
        )
    except TypeError:
        raise stela.StelaError(
            f"torch takes no numpy logits of type {scores.dtype}, and {needed_for} needs torch.",
            "hand over float32 logits, or a torch tensor",
        ) from None


def to_device(values: npt.NDArray[Any], device: torch.device) -> torch.Tensor:
    """A tensor of these values, of their shape and type, on a device; ``values`` may change afterwards.

    On CUDA they come by way of pinned memory: a copy out of ordinary memory would wait for all that the
    device has still to do, the model's pass included. torch keeps pinned memory until the copy is done.
    """
    import torch

    tensor = torch.from_numpy(np.ascontiguousarray(values))
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.clone() if device.type == "cpu" else tensor.to(device)


def halves(seeds: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The low and the high 32 bits of 64-bit seeds, shaped like the seeds."""
    return seeds.astype(np.uint32), (seeds >> np.uint64(32)).astype(np.uint32)
