"""What marking in transformers takes and gives, as callers see it. For type checkers alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from transformers import LogitsProcessor


class WatermarkLogitsProcessor(LogitsProcessor):
    """That of stela-transformers."""

    early_ids: Any
    gave_way: int
    reset: Callable[[], None]
    weights: list[list[float | None]]
    weights_of: Callable[..., list[float | None]]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """New scores (rows, width) from ids so far (rows, length)."""
        raise NotImplementedError
