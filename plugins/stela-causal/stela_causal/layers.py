"""What layers of causal networks are, without numba."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[Any]
"""Floating-point numbers of 32 or 64 bits."""
Flags = npt.NDArray[np.bool_]

AT_ONCE = 4
"""Places, and inputs of each, that are multiplied in one pass over the outputs."""
TAPS = 3
"""A convolution sees a place and those one and two ``dilation`` steps before it."""

Layer = tuple[Reals, Reals]
"""Weights (in, out) and bias (out,)."""


def layer_of(weight: Reals, bias: Reals) -> Layer:
    """A layer of torch's, whose weights are (out, in).

    Raises:
        ValueError: the width is one that :func:`stela_causal.convolution.affine` cannot take.
    """
    if weight.shape[1] % AT_ONCE:
        raise ValueError(f"a width of {weight.shape[1]} is not a multiple of {AT_ONCE}")
    return np.ascontiguousarray(weight.T), np.ascontiguousarray(bias)
