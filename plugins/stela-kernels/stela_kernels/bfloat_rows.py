"""Bias on green logits of bfloat16 in one fused pass; importing this needs numba, which has no such type.

So the bits are taken: a bfloat16 is the upper half of a float32. The sum is made in float32 and rounded once,
to the even neighbour, as torch does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from stela_core.api import threshold
from stela_kernels.arrays import halves
from stela_kernels.compiled_copy import copy
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.fused_bias import is_plain
from stela_kernels.passes import Buffers, compile_kept

BUFFERS = Buffers(np.uint16)


def suits(scores: torch.Tensor) -> bool:
    """Whether the pass can take this tensor: bfloat16, contiguous, on the CPU."""
    return is_plain(scores, "bfloat16")


def add_bias(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
) -> torch.Tensor:
    """New scores, bit for bit those of ``torch_bias.add_bias``; arguments as there, for scores that suit."""
    bits = scores.view(torch.int16).numpy().view(np.uint16)
    out = BUFFERS.take(bits.shape)
    low, high = halves(seeds)
    shifts = np.asarray(biases, dtype=np.float32)
    BIAS_ROWS(bits, out, low, high, shifts, vocab_size, np.uint32(threshold(gamma)))
    return torch.from_numpy(out.view(np.int16)).view(torch.bfloat16)


def _float_of(typing_context: Any, bits: Any) -> Any:
    """The float32 of these bits."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), code


def _bits_of(typing_context: Any, number: Any) -> Any:
    """The bits of a float32."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), code


float_of: Any = intrinsic(_float_of)
bits_of: Any = intrinsic(_bits_of)


def _bias_rows(bits: Any, out: Any, low: Any, high: Any, biases: Any, vocab_size: int, below: Any) -> None:
    half, one, nearly = np.uint32(16), np.uint32(1), np.uint32(0x7FFF)
    for row in range(bits.shape[0]):
        source, target, bias = bits[row], out[row], np.float32(biases[row])
        if bias == 0:
            copy(source, target)
            continue
        for v in range(vocab_size):
            old = source[v]
            summed = bits_of(np.float32(float_of(np.uint32(np.uint32(old) << half)) + bias))
            even = np.uint32(nearly + np.uint32(np.uint32(summed >> half) & one))
            rounded = np.uint16(np.uint32(summed + even) >> half)
            target[v] = rounded if mixed_number(v, low[row], high[row]) < below else old
        copy(source[vocab_size:], target[vocab_size:])


BIAS_ROWS = compile_kept(_bias_rows)
