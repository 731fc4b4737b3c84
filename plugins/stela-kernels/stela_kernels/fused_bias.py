"""Bias on green logits in one fused pass over memory: the fast path on a CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stela_core.api import threshold
from stela_kernels.passes import Buffers, compile_kept

if TYPE_CHECKING:
    import torch

Pass = Callable[..., None]

BUFFERS = Buffers()


def suits(scores: torch.Tensor) -> bool:
    """Whether the fused pass can take this tensor: float32, contiguous, on the CPU, numba at hand."""
    return is_plain(scores, "float32") and compiled() is not None


def is_plain(scores: torch.Tensor, dtype: str) -> bool:
    """Whether a pass over memory can take this tensor: of that type, contiguous, on the CPU."""
    import torch

    return (
        scores.is_cpu
        and scores.dtype == getattr(torch, dtype)
        and scores.is_contiguous()
        and not scores.requires_grad
    )


def suits_array(scores: npt.NDArray[Any]) -> bool:
    """Whether the fused pass can take this array: native float32, contiguous, numba at hand."""
    flags = scores.flags
    return (
        scores.dtype == np.float32
        and scores.dtype.isnative
        and flags.c_contiguous
        and flags.aligned
        and flags.writeable  # it is not written to, but compiled for arrays that may be
        and compiled() is not None
    )


def add_bias(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> torch.Tensor:
    """New scores with ``biases[r]`` added to the green ids below ``vocab_size`` of row r.

    Args:
        scores: (rows, width), such that :func:`suits`; left as it was.
        seeds: (rows,).
        biases: (rows,), in nats; a row with bias 0 is copied.
        vocab_size: at most width; ids from here on are copied.
        gamma: share of green ids.
    """
    import torch

    return torch.from_numpy(add_bias_to_array(scores.numpy(), seeds, biases, vocab_size, gamma))


def add_bias_to_array(
    scores: npt.NDArray[np.float32],
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> npt.NDArray[np.float32]:
    """:func:`add_bias` for an array such that :func:`suits_array`."""
    run = compiled()
    assert run is not None
    out = BUFFERS.take(scores.shape)
    shifts = np.array(biases, dtype=np.float32)
    parts = seeds.astype("<u8").view("<u4")
    run(scores, out, parts, shifts, vocab_size, np.uint32(threshold(gamma)))
    return out


@cache
def compiled() -> Pass | None:
    """The compiled pass, or ``None`` where numba cannot be used.

    Compiled at the first call (about a second), and kept on disk where numba finds a folder it may
    write to.
    """
    try:
        import numba  # noqa: F401
    except Exception:  # not installed, or broken by the numpy beside it: torch does the work then
        return None
    signature = "void(f4[:,::1], f4[:,::1], u4[::1], f4[::1], i8, u4)"
    kernel: Pass = compile_kept(_bias_rows, signature)
    return kernel


def _bias_rows(scores: Any, out: Any, parts: Any, biases: Any, vocab_size: int, below: Any) -> None:
    """The definition of ``mixing.py`` for all ids of each row; compiled, not called as it is.

    All is unsigned 32-bit arithmetic without a branch, so that the compiler makes SIMD code of it; every
    result is cast down, since numba computes in 64 bits, of which half as many fit into a register.
    """
    for row in range(scores.shape[0]):
        source, target, bias = scores[row], out[row], biases[row]
        if bias == 0:
            for v in range(scores.shape[1]):  # a slice would cost seconds more to compile (compiled_copy.py)
                target[v] = source[v]
            continue
        s0, s1 = parts[2 * row], parts[2 * row + 1]
        for v in range(vocab_size):
            x = np.uint32(np.uint32(v) ^ s0)
            x = np.uint32(x ^ (x >> np.uint32(17)))
            x = np.uint32(x * np.uint32(0xED5AD4BB))
            x = np.uint32(x ^ s1)
            x = np.uint32(x ^ (x >> np.uint32(11)))
            x = np.uint32(x * np.uint32(0xAC4C1B51))
            x = np.uint32(x ^ (x >> np.uint32(15)))
            x = np.uint32(x * np.uint32(0x31848BAB))
            x = np.uint32(x ^ (x >> np.uint32(14)))
            score = source[v]
            target[v] = score + bias if x < below else score
        for v in range(vocab_size, scores.shape[1]):
            target[v] = source[v]
