"""The network of Liu et al. (ICLR 2024) in whole numbers: a context's vector to 256 outputs.

It is a linear layer, two residual ones and a last one (``train_watermark_model.py`` of
github.com/THU-BPM/Robust_Watermark), with weights of 8 bits. For a vector ``v`` of whole numbers, with
``floor`` divisions throughout::

    x   = 1024 v / max(1, floor(sqrt(sum v**2)))
    h   = (W0 x + b0) / s0                             within +-2**20
    h   = h + max(0, (Wi h + bi) / si)   for i = 1, 2  within +-2**20
    out = W3 h + b3

The ``count`` largest outputs are high; of equal ones those that stand first. Sums are below 2**53, so that
float64 gives them exactly, in any order: the same on every machine. In the paper the network's outputs go
through ``tanh(1000 (out - mean))``, which leaves their sign. That as many are high under each context as
under any other makes a token's probability of being green exactly ``count / 256``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

OUTPUTS = 256
"""Outputs of the network: a token has one of them, drawn by the key."""
WORDS = OUTPUTS // 64
LAYERS = 4
UNIT = 1024
"""Length of a context's vector."""
LIMIT = 1 << 20
"""Largest size of a hidden number."""
ROWS = 4096
"""Contexts that are worked out at once."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A linear layer."""

    weights: npt.NDArray[np.int8]
    """(outputs, inputs)."""
    biases: npt.NDArray[np.int32]
    """(outputs,)."""
    scale: int = 1
    """What sums are divided by, at least 1."""

    def __call__(self, inputs: Whole) -> Whole:
        """(n, inputs) -> (n, outputs)."""
        sums = inputs.astype(np.float64) @ self.weights.T.astype(np.float64)
        return (sums.astype(np.int64) + self.biases) // self.scale


@dataclass(frozen=True, eq=False)
class Network:
    """Four layers."""

    layers: Sequence[Layer]

    def outputs(self, vectors: Whole) -> Whole:
        """Outputs of contexts' vectors, (n, dimensions) -> (n, 256)."""
        first, *middle, last = self.layers
        hidden = np.clip(first(units(vectors)), -LIMIT, LIMIT)
        for layer in middle:
            hidden = np.clip(hidden + np.maximum(layer(hidden), 0), -LIMIT, LIMIT)
        return last(hidden)

    def patterns(self, vectors: Whole, count: int) -> npt.NDArray[np.uint64]:
        """Which outputs are high, bit i of four words for output i: (n, dimensions) -> (n, 4).

        Args:
            vectors: of the contexts.
            count: how many of the 256 are high.
        """
        words = np.empty((len(vectors), WORDS), dtype=np.uint64)
        for start in range(0, len(vectors), ROWS):
            part = self.outputs(vectors[start : start + ROWS])
            highest = np.argsort(-part, axis=1, kind="stable")[:, :count]
            high = np.zeros((len(part), OUTPUTS), dtype=np.uint8)
            np.put_along_axis(high, highest, 1, axis=1)
            words[start : start + ROWS] = np.packbits(high, axis=1, bitorder="little").view("<u8")
        return words


def units(vectors: Whole) -> Whole:
    """Vectors of length 1024 or a little less, in whole numbers; 0 is kept."""
    # Exact: the root of a whole number below 2**53 is correctly rounded, and floor is then the true one.
    lengths = np.floor(np.sqrt((vectors * vectors).sum(axis=1, keepdims=True).astype(np.float64)))
    return np.asarray(vectors * UNIT // np.maximum(lengths.astype(np.int64), 1))
