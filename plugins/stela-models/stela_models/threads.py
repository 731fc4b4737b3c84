"""Threads of torch for a model: none that only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel

SMALL = 30_000_000
"""Parameters. A step of a larger model reads more memory than one core does at full speed."""

STEP = 1_000_000_000
"""Multiplications in a step, about 50 ms of one core. A step of a small model has some hundred parallel
parts: of 0.1 ms each, which the start of a second thread would cost, unless a step is larger than this."""


def threads_for(parameters: int, rows: int, available: int) -> int:
    """Threads with which a step of generation wastes no time.

    Threads of OpenMP wait in a busy loop for the slowest, at the end of each small matrix. Measured with a
    model of 6 M parameters on two busy cores: 7 ms of CPU a step on one thread and 210 ms on two at 1 row,
    47 ms and 490 ms at 128 rows.

    Args:
        parameters: of the model.
        rows: texts that are generated together.
        available: threads that torch may use.
    """
    return 1 if parameters <= SMALL and parameters * rows <= STEP else available


@contextmanager
def threads_for_steps(model: PreTrainedModel, rows: int) -> Iterator[None]:
    """Torch on as many threads as a batch of generation can use inside the block, as before behind it."""
    import torch

    before = torch.get_num_threads()
    parameters = sum(one.numel() for one in model.parameters())
    with on_threads(before if model.device.type != "cpu" else threads_for(parameters, rows, before)):
        yield


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Torch on a number of threads inside the block, as before behind it."""
    import torch

    before = torch.get_num_threads()
    if count == before:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
