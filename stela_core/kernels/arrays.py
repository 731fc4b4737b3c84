"""Bias on green logits in numpy operations, and arrays as torch tensors, on this host or a device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stela_core.errors import MissingLibraryError, StelaError

if TYPE_CHECKING:
    import torch


def raised(
    scores: npt.NDArray[Any], masks: Iterable[npt.NDArray[np.bool_] | None], biases: Sequence[float]
) -> npt.NDArray[Any]:
    """New scores with ``biases[r]`` added to row r where its mask says so.

    Args:
        scores: (rows, width), any floating-point type; left as it was.
        masks: for each row green ids, (at most width,), or ``None`` for a row that is copied.
        biases: (rows,), in nats. In 16-bit types the sum is made in float32 and rounded once.
    """
    out = scores.copy()
    shifts = np.asarray(biases, dtype=np.float32)
    for row, mask in enumerate(masks):
        if mask is not None:
            # A sum without a choice: many times faster than to take the one or the other.
            out[row, : len(mask)] = scores[row, : len(mask)] + mask * shifts[row : row + 1]
    return out


def as_tensor(scores: npt.NDArray[Any], needed_for: str) -> torch.Tensor:
    """The logits as a tensor on the CPU, in the same memory where torch can take it.

    Raises:
        StelaError: torch is not installed, or has no such type of numbers.
    """
    if find_spec("torch") is None:
        raise MissingLibraryError("torch", needed_for, '"stela-core[generate]"')
    import torch

    plain = scores.flags.writeable and scores.dtype.isnative and min(scores.strides, default=0) >= 0
    try:
        return torch.from_numpy(
            scores if plain else np.array(scores, dtype=scores.dtype.newbyteorder("="), order="C")
        )
    except TypeError:
        raise StelaError(
            f"torch takes no numpy logits of type {scores.dtype}, and {needed_for} needs torch.",
            "hand over float32 logits, or a torch tensor",
        ) from None


def as_array(scores: torch.Tensor, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A tensor on the CPU as an array of the type of another."""
    array: npt.NDArray[Any] = scores.numpy().astype(like.dtype, copy=False)
    return array


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
