"""From 32-bit numbers to draws: numpy for detection, torch for insertion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

RANGE = 2.0**32
"""Numbers are 0 .. RANGE - 1."""

DOWN = 1 - 2.0**-50
"""What logarithms are multiplied by, so that their rounding never makes a draw larger than its law says."""


def exponential(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    """``-log(1 - x / 2**32)`` of numbers x, float64: Exp(1), rounded down to what 32 bits can tell.

    P(value >= v) is ``exp(-v)`` at each value that occurs, and less between two.
    """
    return -np.log1p(-numbers.astype(np.float64) / RANGE) * DOWN


def nearness(drawn: npt.NDArray[np.uint32], fixed: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    """How near two numbers are, (n,), (n,) -> float64 (n,).

    Exp(1) where ``drawn`` is uniform, whatever ``fixed`` is: -log of the share of all 2**32 numbers that are
    no farther from ``fixed`` than ``drawn`` is. P(value >= v) is ``exp(-v)`` at each value that occurs, and
    less between two.
    """
    at = fixed.astype(np.int64)
    apart = np.abs(drawn.astype(np.int64) - at)
    last = (1 << 32) - 1
    as_near = np.minimum(at + apart, last) - np.maximum(at - apart, 0) + 1
    return np.asarray(-np.log(as_near / RANGE) * DOWN)


def only(scores: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """Logits (rows, width) of distributions on one token each: 0 there, minus infinity elsewhere."""
    import torch

    out = torch.full_like(scores, -torch.inf)
    return out.scatter_(1, tokens[:, None], 0.0)
