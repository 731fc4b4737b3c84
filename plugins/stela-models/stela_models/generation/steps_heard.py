"""A listener that hears of each step while a batch of texts is generated; it never stops one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from transformers import StoppingCriteria


class StepsHeard(StoppingCriteria):
    """Tell how many texts are done after each step, parts of texts counted.

    Args:
        heard: gets the number.
        done: texts before the batch.
        start: tokens of the prompts, padding included.
        most: new tokens of a text, at most.
    """

    def __init__(self, heard: Callable[[float], None], done: int, start: int, most: int) -> None:
        self._heard, self._done = heard, done
        self._start, self._most = start, most

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        """Return ``False`` for each row, (rows,): none is to stop."""
        rows, length = input_ids.shape
        self._heard(self._done + rows * (length - self._start) / self._most)
        return torch.zeros(rows, dtype=torch.bool, device=input_ids.device)
