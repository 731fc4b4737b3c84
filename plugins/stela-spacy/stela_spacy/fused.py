"""The small network in compiled passes, where they are found to give the bits of thinc's layers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from stela_spacy.kernels import Affine, Floats, HashedEmbedding, Ids, MaxoutNorm

Numbers = npt.NDArray[np.int64]
WORTH = 4_096
"""Words that were scored before numba is loaded for it, which takes longer than some texts."""
BESIDE = 8
AT_ONCE = 4
WIDEST = 128
"""Numbers that numpy adds up in eight sums side by side, at most."""
PROBES = (1, 5, 30)
"""Tokens that are compared: thinc's gemm works on six rows at a time, and on what is left in another way."""


class FusedNetwork:
    """All layers of a :class:`.TailNetwork`, in a few passes without a call of numpy for each operation.

    Not for several threads at once: :class:`.TailNetwork` sees to that.
    """

    def __init__(
        self, embedding: HashedEmbedding, first: MaxoutNorm, second: MaxoutNorm, output: Affine
    ) -> None:
        """Take over layers such that :func:`suits`.

        Raises:
            ImportError: numba is not installed, or not for this numpy.
        """
        from stela_spacy import compiled, compiled_embedding

        self._passes, self._embed = compiled, compiled_embedding.embed
        self._embedding, self._first, self._second = embedding, first, second
        columns = [column for column, _ in embedding.seeds]
        self._columns = None if columns == list(range(len(columns))) else columns
        self._seeds = np.array([seed for _, seed in embedding.seeds], dtype=np.uint64)
        self._sizes = np.array(embedding.sizes, dtype=np.uint64)
        self._weights: Floats = np.ascontiguousarray(output.weights.T)
        self._bias = output.bias
        self._make_room(16)

    def embed(self, ids: Ids, vectors: Floats, start: int) -> None:
        """Write the vectors of ids (n, tables), as :class:`.HashedEmbedding` gives them, from a row on."""
        count, mixed = len(ids), self._embedding.mixed
        if count > len(self._labels):
            self._make_room(count)
        if self._columns is not None:
            ids = np.ascontiguousarray(ids[:, self._columns])
        self._embed(
            ids, self._embedding.table, self._seeds, self._sizes, mixed.turned, mixed.terms, self._best,
            self._variances,
        )  # fmt: skip
        self._passes.normalise(self._best, self._variances[:count] ** -0.5, mixed.terms, vectors, start)

    def scores(self, rows: Sequence[int], at: Sequence[int], vectors: Floats) -> Floats:
        """Scores (n, labels) of tokens at n > 0 places, in the order of ``at``.

        Args:
            rows: of each token its row of ``vectors``; row 0 stands for what lies outside.
            at: places in ``rows``, with two on each side.
            vectors: (m, width); the first is zero.
        """
        self._score(rows, at, vectors)
        return self._scores[: len(at)].copy()

    def best(self, rows: Sequence[int], at: Sequence[int], vectors: Floats) -> list[int]:
        """The numbers of the labels with the best :meth:`scores`, the first of equals."""
        self._score(rows, at, vectors)
        labels: list[int] = self._labels[: len(at)].tolist()
        return labels

    def scores_near(self, three: Numbers, near: Numbers, vectors: Floats) -> Floats:
        """Scores (n, labels) of n > 0 tokens, each of three neighbours of the first convolution.

        Args:
            three: (m, 3) rows of ``vectors``, sorted: the neighbours that there are.
            near: (n, 3) rows of these.
            vectors: (rows, width); the first is zero.
        """
        if max(len(near), -(-len(three) // 3)) > len(self._labels):
            self._make_room(max(len(near), -(-len(three) // 3)))
        first = self._first
        self._passes.convolve_neighbours(
            three, vectors, first.turned, first.terms, self._inner, self._variances
        )
        self._finish(near, np.ascontiguousarray(three[:, 1]), len(three), vectors)
        return self._scores[: len(near)].copy()

    def _score(self, rows: Sequence[int], at: Sequence[int], vectors: Floats) -> None:
        count, first = len(at), self._first
        if count > len(self._labels):
            self._make_room(count)
        near, residual = self._near[:count], self._residual
        results = self._passes.convolve_first(
            np.array(rows, dtype=np.int64), np.array(at, dtype=np.int64), vectors, first.turned, first.terms,
            residual, near, self._inner, self._variances,
        )  # fmt: skip
        self._finish(near, residual, results, vectors)

    def _finish(self, near: Numbers, residual: Numbers, results: int, vectors: Floats) -> None:
        """The second convolution and the output layer; ``results`` of the first one are there."""
        inner, best, variances, second = self._inner, self._best, self._variances, self._second
        self._passes.convolve_second(
            near, residual, vectors, inner, variances[:results] ** -0.5, self._first.terms, second.turned,
            second.terms, best, variances,
        )  # fmt: skip
        self._passes.put_out(
            best, variances[: len(near)] ** -0.5, second.terms, inner, near, self._weights, self._bias,
            self._scores, self._labels,
        )  # fmt: skip

    def _make_room(self, places: int) -> None:
        """Buffers for a number of places; each has a neighbour on both sides."""
        width = self._embedding.table.shape[1]
        self._near: Numbers = np.empty((places, 3), dtype=np.int64)
        self._residual: Numbers = np.empty(3 * places, dtype=np.int64)
        self._inner: Floats = np.empty((3 * places, width), dtype=np.float32)
        self._variances: Floats = np.empty(3 * places, dtype=np.float32)
        self._best: Floats = np.empty((places, width), dtype=np.float32)
        self._labels: Numbers = np.empty(places, dtype=np.int64)
        self._scores: Floats = np.empty((places, len(self._bias)), dtype=np.float32)


def worth(scored: int) -> bool:
    """Whether numba is worth its loading after ``scored`` words, or loaded already."""
    return scored >= WORTH or "numba" in sys.modules


def fused(
    embedding: HashedEmbedding,
    first: MaxoutNorm,
    second: MaxoutNorm,
    output: Affine,
    scores: Callable[[Sequence[int], Sequence[int], Floats], Floats],
) -> FusedNetwork | None:
    """The layers in compiled passes; ``None`` where nothing here gives their bits.

    Args:
        embedding: of tokens.
        first: the first convolution.
        second: the second one.
        output: scores of labels.
        scores: what the layers make of rows of vectors, for comparison.
    """
    if not suits(embedding, first, second):
        return None
    try:
        network = FusedNetwork(embedding, first, second, output)
    except ImportError:
        return None
    return network if all(_same_bits(network, embedding, scores, count) for count in PROBES) else None


def suits(embedding: HashedEmbedding, first: MaxoutNorm, second: MaxoutNorm) -> bool:
    """Whether the layers have the shapes that the passes are written for."""
    width = embedding.table.shape[1]
    layers = ((embedding.mixed, len(embedding.seeds)), (first, 3), (second, 3))
    return (
        width % BESIDE == 0
        and width <= WIDEST
        and all(layer.out == width and len(layer.turned) == parts * width for layer, parts in layers)
    )


def _same_bits(
    network: FusedNetwork,
    embedding: HashedEmbedding,
    scores: Callable[[Sequence[int], Sequence[int], Floats], Floats],
    count: int,
) -> bool:
    random = np.random.default_rng(count)
    shape = count, 1 + max(column for column, _ in embedding.seeds)
    ids = random.integers(0, 1 << 63, size=shape, dtype=np.uint64) << np.uint64(1)
    vectors = np.zeros((count + 1, embedding.table.shape[1]), dtype=np.float32)
    network.embed(ids, vectors, 1)
    if vectors[1:].tobytes() != embedding(ids).tobytes():
        return False
    rows = [0, 0, *range(1, count + 1), 0, 0]
    at = list(range(2, count + 2))
    return network.scores(rows, at, vectors).tobytes() == scores(rows, at, vectors).tobytes()
