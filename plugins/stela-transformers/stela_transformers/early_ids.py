"""The last ids of each row, on the host before the next pass: where transformers' loop has a place for it."""

from __future__ import annotations

from threading import local
from typing import Any
from weakref import ref

import torch
from transformers import StoppingCriteria


class EarlyIds(StoppingCriteria):
    """A criterion that never stops: it takes the ids just drawn to the host, where a processor finds them.

    ``generate`` asks its criteria once a token is drawn, and then itself waits for the device. Its next pass
    is launched after that, and a processor that read ids only when it is called would wait for the pass.

    Args:
        count: last ids of each row.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._here = local()

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **more: Any) -> torch.Tensor:
        """``False`` for each row, (rows,)."""
        last = input_ids[:, -self._count :].tolist()
        self._here.taken = ref(input_ids), _version(input_ids), last
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)

    def of(self, input_ids: torch.Tensor) -> list[list[int]] | None:
        """The last ids of a tensor that came by last in this thread and was not written into since; once."""
        taken = getattr(self._here, "taken", None)
        self._here.taken = None
        if taken is None or taken[0]() is not input_ids or taken[1] != _version(input_ids):
            return None
        last: list[list[int]] = taken[2]
        return last


def _version(tensor: torch.Tensor) -> int:
    """How often a tensor was written into, where torch counts it."""
    return -1 if tensor.is_inference() else tensor._version
