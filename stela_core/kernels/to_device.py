"""Small arrays on their way to a device: whoever launches its work does not wait for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch


def to_device(values: npt.NDArray[Any], device: torch.device) -> torch.Tensor:
    """A tensor of these values, of their shape and type, on a device; ``values`` may change afterwards.

    On CUDA they come by way of pinned memory: a copy out of ordinary memory would wait for all that the
    device has still to do, the model's pass included. torch keeps pinned memory until the copy is done.
    """
    import torch

    own = torch.from_numpy(np.ascontiguousarray(values))
    if device.type == "cuda":
        return own.pin_memory().to(device, non_blocking=True)
    return own.clone() if device.type == "cpu" else own.to(device)
