"""The fast path on a GPU: kernels that a distribution lends, looked up once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from stela_core.api import lent

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    from stela_kernels.triton.rows import TritonSplit


class GpuKernels(Protocol):
    """Fused passes over rows of scores; arguments as for ``fused_bias.add_bias``."""

    add_bias: Callable[..., torch.Tensor]
    split: Callable[..., TritonSplit]
    entropies: Callable[[torch.Tensor], npt.NDArray[Any]]


def gpu_kernels(scores: torch.Tensor) -> GpuKernels | None:
    """The kernels that can take this tensor: on a CUDA device, rows contiguous, Triton at hand."""
    return _lent() if scores.device.type == "cuda" and scores.stride(-1) == 1 else None


@cache
def _lent() -> GpuKernels | None:
    if find_spec("triton") is None:
        return None
    kernels: GpuKernels | None = lent("gpu_kernels")
    return kernels
