"""Token ids on their way from a GPU to the host while the model's next pass runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def ids_from_device(tokens: torch.Tensor) -> Callable[[], list[int]]:
    """Token ids (rows,) on their way to the host, by a separate stream; on a CPU they are there.

    Returns:
        a function that waits for only them, not for what was launched after them.
    """
    import torch

    if tokens.device.type != "cuda":
        return tokens.tolist
    cuda: Any = torch.cuda
    stream = cuda.Stream(tokens.device)
    stream.wait_stream(cuda.current_stream(tokens.device))
    there = cuda.Event()
    with cuda.stream(stream):
        host = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
        host.copy_(tokens, non_blocking=True)
        tokens.record_stream(stream)
        there.record(stream)

    def wait() -> list[int]:
        there.synchronize()
        ids: list[int] = host.tolist()
        return ids

    return wait
