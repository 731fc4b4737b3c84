"""thinc's layers without their bookkeeping: the same numpy and BLIS calls on the same numbers.

``predict`` of a layer normalised maxout costs about 35 us, of which the arithmetic is 10: shapes are
looked up and closures for training made. Equal to the last bit, which the plugins' tests check.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.uint64]


SUM: Any = np.add.reduce
"""numpy's sum, called by position (array, axis, dtype, out, keepdims), which costs half."""
HASHES = 4
"""Rows of a table that thinc adds up for one id."""


def _named(layer: Any, name: str) -> Any:
    [match] = [node for node in layer.walk() if node.name == name]
    return match


class MaxoutNorm:
    """``Maxout >> LayerNorm`` of thinc: (n, in) to (n, out)."""

    def __init__(self, layer: Any) -> None:
        maxout, norm = _named(layer, "maxout"), _named(layer, "layernorm")
        self._gemm, self._maxout = layer.ops.gemm, layer.ops.maxout
        out, pieces, size = maxout.get_param("W").shape
        self._shape = (-1, out, pieces)
        self._weights: Floats = np.ascontiguousarray(maxout.get_param("W").reshape(out * pieces, size))
        self._bias: Floats = maxout.get_param("b").reshape(out * pieces)
        self._scale: Floats = norm.get_param("G")
        self._shift: Floats = norm.get_param("b")
        self._size = float(out)
        self.out: int = out
        """Width of the outputs."""
        self.terms: Floats = np.concatenate([self._bias, self._scale, self._shift])
        """(out * pieces + 2 out,): biases, scale, shift."""
        self.turned: Floats = np.ascontiguousarray(self._weights.T)
        """(in, out * pieces) weights."""
        third = size // 3
        self.parts = [self.turned[i * third : (i + 1) * third] for i in range(3)]
        """Weights of the place before, of the place itself and of the one behind, in a convolution."""

    def __call__(self, inputs: Floats) -> Floats:
        """Outputs (n, out) of inputs (n, in)."""
        return self.of_sums(self.products(inputs))

    def products(self, inputs: Floats) -> Floats:
        """Products of weights and inputs, added up: (n, in) to (n, out * pieces)."""
        products: Floats = self._gemm(inputs, self._weights, trans2=True)
        return products

    def of_sums(self, affine: Floats) -> Floats:
        """The same from the products of weights and inputs (n, out * pieces), which are changed."""
        affine += self._bias
        best: Floats = self._maxout(affine.reshape(self._shape))[0]
        # numpy's mean and var, step by step.
        size = self._size
        mean = SUM(best, 1, None, None, True)
        mean /= size
        best -= mean
        variance = SUM(best * best, 1, None, None, True)
        variance /= size
        variance += 1e-8
        best *= variance**-0.5
        best *= self._scale
        best += self._shift
        return best


class HashedEmbedding:
    """``MultiHashEmbed`` of spaCy after the features: ids (n, tables) to vectors (n, width)."""

    def __init__(self, tables: Any, mixed: Any) -> None:
        self._ops = mixed.ops
        nodes = [node for node in tables.walk() if node.name == "hashembed"]
        rows = [node.get_param("E") for node in nodes]
        # One table below the other: all vectors are gathered in one pass.
        self.table: Floats = np.concatenate(rows)
        self.sizes = [len(table) for table in rows]
        """Rows of each table."""
        sizes = np.array(self.sizes, dtype=np.uint32)
        self._sizes = sizes[:, None]
        self._starts = (np.cumsum(sizes, dtype=np.uint32) - sizes)[:, None]
        self.seeds: list[tuple[int, int]] = [(node.attrs["column"], node.attrs["seed"]) for node in nodes]
        """The id that each table hashes, by its column, and the seed."""
        self.mixed = MaxoutNorm(mixed)

    def __call__(self, ids: Ids) -> Floats:
        """Vectors (n, width) of ids (n, tables)."""
        columns = np.ascontiguousarray(ids.T)
        keys = np.empty((len(ids), len(self.seeds), HASHES), dtype=np.uint32)
        for place, (column, seed) in enumerate(self.seeds):
            keys[:, place] = self._ops.hash(columns[column], seed)
        keys %= self._sizes
        keys += self._starts
        vectors: Floats = self._ops.gather_add(self.table, keys.reshape(-1, HASHES))
        return self.mixed(vectors.reshape(len(ids), -1))


class Affine:
    """The output layer: (n, in) to scores (n, labels)."""

    def __init__(self, layer: Any) -> None:
        self._gemm = layer.ops.gemm
        self.weights: Floats = layer.get_param("W")
        """(labels, in)."""
        self.bias: Floats = layer.get_param("b")

    def __call__(self, inputs: Floats) -> Floats:
        """Scores (n, labels) of inputs (n, in)."""
        scores: Floats = self._gemm(inputs, self.weights, trans2=True)
        scores += self.bias
        return scores
