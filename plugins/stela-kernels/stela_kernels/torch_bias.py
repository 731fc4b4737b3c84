"""Bias on green logits in torch operations: any device, any floating-point type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from stela_core.api import threshold
from stela_kernels.arrays import halves, to_device

MULTIPLIERS = (0xED5AD4BB, 0xAC4C1B51, 0x31848BAB)
SHIFTS = (17, 11, 15, 14)
"""The constants of the core's mixing function (``hashing/colour.py``)."""

_CELLS = {"cpu": 1 << 17}
"""Cells (rows times ids) mixed at once: on a CPU what a cache holds, a row at a time at least."""

_CELLS_ELSEWHERE = 1 << 24
"""The same on accelerators, where each operation has a fixed cost: 64 MiB for each of two buffers."""


def add_bias(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> torch.Tensor:
    """New scores with ``biases[r]`` added to the green ids below ``vocab_size`` of row r.

    Args:
        scores: (rows, width); left as it was.
        seeds: (rows,).
        biases: (rows,), in nats.
        vocab_size: at most width; ids from here on are copied.
        gamma: share of green ids.
    """
    device = scores.device
    out = scores.clone()
    low, high = _halves(seeds, device)
    shifts = to_device(np.asarray(biases, dtype=np.float32), device)[:, None]
    step = max(1, _CELLS.get(device.type, _CELLS_ELSEWHERE) // max(1, vocab_size))
    step = min(step, len(scores))
    ids = torch.arange(vocab_size, dtype=torch.int32, device=device)
    # Two buffers for all rows: fresh memory is slow to get, on a CPU slower than the arithmetic.
    mixed, scratch = ids.new_empty(step, vocab_size), ids.new_empty(step, vocab_size)
    for start in range(0, len(scores), step):
        rows = slice(start, min(start + step, len(scores)))
        if not any(biases[rows]):
            continue
        count = rows.stop - rows.start
        mask = _green(ids, low[rows], high[rows], gamma, mixed[:count], scratch[:count])
        old = scores[rows, :vocab_size]
        # In 16-bit types the sum is made in float32 and rounded once.
        out[rows, :vocab_size] = torch.where(mask, old + shifts[rows], old)
    return out


def green(
    seeds: npt.NDArray[np.uint64], vocab_size: int, gamma: float, device: torch.device | str = "cpu"
) -> torch.Tensor:
    """Green ids below ``vocab_size`` under each seed, (rows, vocab_size) bool: exactly ``colour.green``."""
    low, high = _halves(seeds, torch.device(device))
    ids = torch.arange(vocab_size, dtype=torch.int32, device=device)
    mixed, scratch = ids.new_empty(len(low), vocab_size), ids.new_empty(len(low), vocab_size)
    return _green(ids, low, high, gamma, mixed, scratch)


def mixed(seeds: npt.NDArray[np.uint64], vocab_size: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """Numbers of the ids below ``vocab_size`` under each seed, (rows, vocab_size) int64 in 0 .. 2**32 - 1.

    Exactly those of ``colour.mix``.
    """
    low, high = _halves(seeds, torch.device(device))
    ids = torch.arange(vocab_size, dtype=torch.int32, device=device)
    numbers, scratch = ids.new_empty(len(low), vocab_size), ids.new_empty(len(low), vocab_size)
    return _mix(ids, low, high, numbers, scratch).to(torch.int64) & 0xFFFFFFFF


def _green(
    ids: torch.Tensor,
    low: torch.Tensor,
    high: torch.Tensor,
    gamma: float,
    x: torch.Tensor,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """The definition of ``colour.py`` on int32 tensors; ``x`` and ``scratch`` are overwritten."""
    # Unsigned order is signed order with the top bit turned over.
    numbers = _mix(ids, low, high, x, scratch)
    return numbers.bitwise_xor_(_signed(1 << 31)) < _signed(threshold(gamma) ^ 1 << 31)


def _mix(
    ids: torch.Tensor, low: torch.Tensor, high: torch.Tensor, x: torch.Tensor, scratch: torch.Tensor
) -> torch.Tensor:
    """The mixed numbers as int32, in ``x``; ``scratch`` is overwritten."""

    def xor_shift(bits: int) -> None:
        # torch shifts the sign in: the mask takes it out.
        torch.bitwise_right_shift(x, bits, out=scratch)
        x.bitwise_xor_(scratch.bitwise_and_((1 << 32 - bits) - 1))

    torch.bitwise_xor(ids, low, out=x)
    xor_shift(SHIFTS[0])
    x.mul_(_signed(MULTIPLIERS[0])).bitwise_xor_(high)
    xor_shift(SHIFTS[1])
    x.mul_(_signed(MULTIPLIERS[1]))
    xor_shift(SHIFTS[2])
    x.mul_(_signed(MULTIPLIERS[2]))
    xor_shift(SHIFTS[3])
    return x


def _halves(seeds: npt.NDArray[np.uint64], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """The low and high 32 bits of seeds (rows,) as int32 (rows, 1)."""
    low, high = halves(seeds)
    return (
        to_device(low.view(np.int32), device)[:, None],
        to_device(high.view(np.int32), device)[:, None],
    )


def _signed(number: int) -> int:
    """The int32 with the bits of an unsigned 32-bit number; int32 products wrap as unsigned ones do."""
    return number - (1 << 32) if number >= 1 << 31 else number
