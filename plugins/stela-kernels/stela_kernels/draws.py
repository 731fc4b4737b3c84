"""A token of each row drawn from its logits, as the row's seed says: the same wherever the seed is the same.

The token is the argmax of ``logit[v] + g(v)``, with ``g(v) = -log(-log u)`` standard Gumbel noise and u the
uniform ``(x + 1/2) / 2**32`` of the number x that the core's mixing function makes of seed and token. It is a
draw from the softmax of the logits (Gumbel 1954; Maddison et al. 2014). Where two models draw from p and q by
one seed, both take the same token at least ``(1 - TV) / (1 + TV)`` of the time, TV the total variation of p
and q, whatever either knows of the other (Daliri, Musco and Suresh, 2025).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch

from stela_kernels.arrays import halves
from stela_kernels.row_seeds import Seeds
from stela_kernels.torch_bias import mixed

LOW = 0xFFFFFFFF
CELLS = 1 << 22
"""Cells (rows times ids) worked on at once by torch operations, a row at a time at least."""


def drawn(logits: torch.Tensor, seeds: Seeds) -> torch.Tensor:
    """New logits (rows, width): 0 at the token drawn from each row, minus infinity elsewhere.

    This is one compiled pass on a CPU, torch operations elsewhere. A row without a logit above minus infinity
    is copied. Types other than float32 are drawn from as float32.

    Args:
        logits: (rows, width), floating-point, on any device; left as they were.
        seeds: (rows,).
    """
    run = compiled() if logits.device.type == "cpu" else None
    most, chosen = _by_torch(logits, seeds) if run is None else _by_pass(run, logits, seeds)
    out = torch.full_like(logits, -torch.inf).scatter_(1, chosen, 0.0)
    if run is None:  # without waiting for a device
        return torch.where(most == -torch.inf, logits, out)
    empty = most[:, 0] == -torch.inf
    if bool(empty.any()):
        out[empty] = logits[empty]
    return out


@cache
def compiled() -> Any:
    """The compiled pass, or ``None`` where numba cannot be used."""
    try:
        from stela_kernels.compiled_draws import draw_rows
    except Exception:  # not installed, or broken by the numpy beside it: torch does the work then
        return None
    return draw_rows


def _by_pass(run: Any, logits: torch.Tensor, seeds: Seeds) -> tuple[torch.Tensor, torch.Tensor]:
    """The sum of logit and noise of each row's token, and the token, (rows, 1) both."""
    rows = len(logits)
    most, chosen = np.empty((rows, 1)), np.empty((rows, 1), dtype=np.int64)
    run(logits.detach().float().contiguous().numpy(), *halves(seeds), most, chosen)
    return torch.from_numpy(most), torch.from_numpy(chosen)


def _by_torch(logits: torch.Tensor, seeds: Seeds) -> tuple[torch.Tensor, torch.Tensor]:
    """What :func:`_by_pass` returns, by torch operations."""
    width = logits.shape[1]
    step = max(1, CELLS // max(1, width))
    parts = []
    for start in range(0, max(1, len(logits)), step):
        rows = slice(start, start + step)
        noisy = logits[rows].float() - log_exponentials(mixed(seeds[rows], width, logits.device))
        # What is not a number is never drawn, as by the compiled pass.
        parts.append(noisy.nan_to_num(-torch.inf, torch.inf, -torch.inf).max(dim=1, keepdim=True))
    return torch.cat([part.values for part in parts]), torch.cat([part.indices for part in parts])


def log_exponentials(numbers: torch.Tensor) -> torch.Tensor:
    """``log(-log u)`` of the uniforms of 32-bit numbers, float32: what is taken off the logits."""
    # From 1 - u, a whole number and a half over 2**32: what wins has u near 1, which float32 would lose.
    rest = (LOW - numbers).float().add_(0.5).mul_(-(2.0**-32)).clamp_(min=2.0**-24 - 1)
    return rest.log1p_().neg_().log_()
