"""The network of the small taggers: an embedding, two convolutions over one neighbour, an output layer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_spacy.kernels import Affine, Floats, HashedEmbedding, Ids, MaxoutNorm
from stela_spacy.sums import WORTH, Add, adder

Numbers = npt.NDArray[np.int64]
CACHED_TOKENS = 16_384
REACH = 2
"""Tokens on each side that a score depends on: two convolutions over one neighbour."""
NEIGHBOURS = np.array([-1, 0, 1])
OUTSIDE = b""
"""Stands for what lies outside the text: spaCy puts rows of zeros there, before the first convolution."""


class TailNetwork:
    """Scores of single tokens, each from the five tokens around it; embeddings are kept by token.

    The layers do what spaCy's do, with the same numbers in each row, and the gemm (BLIS) gives a row the
    same bits whatever the other rows are: the scores are bit for bit those of the whole text.
    """

    def __init__(self, tables: Any, mixed: Any, encoder: Any, output: Any, labels: Sequence[str]) -> None:
        """Take over thinc's layers.

        Args:
            tables: concatenated ``HashEmbed`` layers.
            mixed: the maxout layer that makes one vector of theirs.
            encoder: ``MaxoutWindowEncoder``, window 1, depth 2.
            output: layer with parameters W and b.
            labels: what to call the outputs.
        """
        self._embedding = HashedEmbedding(tables, mixed)
        # Of residual(expand_window >> (maxout >> norm)), all but the window, which is gathered here.
        self._first, self._second = [MaxoutNorm(block) for block in encoder.layers[0].layers]
        self._output = Affine(output)
        self._width: int = output.get_dim("nI")
        self._labels = tuple(labels)
        self._scored = 0
        self._looked_for_adder = False
        self._add: Add | None = None
        """What adds up as the layers' gemm does, once it was looked for."""
        self._row_of: dict[bytes, int] = {OUTSIDE: 0}
        self._vectors: Floats = np.zeros((CACHED_TOKENS, self._width), dtype=np.float32)

    def scores(self, keys: Sequence[bytes], at: Sequence[int]) -> Floats:
        """Scores (n, labels) of the n tokens at some places of a row of tokens, in the order of ``at``.

        Args:
            keys: the bytes of each token's ids (tables, uint64), or ``OUTSIDE``. Runs of tokens may stand
                one after the other: a token's scores come of the two keys on each side and its own.
            at: places in ``keys``, with two keys on each side.
        """
        if not at:
            return np.zeros((0, len(self._labels)), dtype=np.float32)
        vectors = self._vectors_of(keys)
        # The rows that the second convolution needs of the first, each once: BLIS works on 6 at a time.
        row_of: dict[int, int] = {}
        for place in at:
            for near in (place - 1, place, place + 1):
                row_of.setdefault(near, len(row_of))
        centre = np.array(list(row_of))
        three = 3 * self._width
        inner = self._first(vectors[centre[:, None] + NEIGHBOURS].reshape(-1, three))
        inner += vectors[centre]
        rows = np.array([(row_of[place - 1], row_of[place], row_of[place + 1]) for place in at])
        outer = self._second(inner[rows].reshape(-1, three))
        outer += inner[rows[:, 1]]
        return self._output(outer)

    def scores_of_all(self, keys: Sequence[bytes]) -> Floats:
        """Scores (n - 4, labels) of all of n tokens but the two first and the two last: a faster way."""
        layer = self._vectors_of(keys)
        for block in (self._first, self._second):
            middle = layer[1:-1]
            layer = block(np.concatenate([layer[:-2], middle, layer[2:]], axis=1))
            layer += middle
        return self._output(layer)

    def scores_around(self, keys: Sequence[bytes], around: npt.NDArray[np.int64]) -> Floats:
        """Scores (n, labels) of tokens, given the five around each: what is the same is worked out once.

        Args:
            keys: of all tokens that occur, as :meth:`scores` takes them; the first is ``OUTSIDE``.
            around: (n, 5) numbers of keys: two before, the token, two behind.
        """
        if not len(around):
            return np.zeros((0, len(self._labels)), dtype=np.float32)
        vectors = self._vectors_of(keys)
        size = len(keys)
        # Of each token the three inner places that its score needs, each of them from three tokens.
        threes = (around[:, :3] * size + around[:, 1:4]) * size + around[:, 2:]
        threes, places = np.unique(threes, return_inverse=True)
        pairs, right = np.divmod(threes, size)
        left, centre = np.divmod(pairs, size)
        inner = self._inner(vectors, left, centre, right)
        inner += vectors[centre]
        places = places.reshape(-1, 3)
        size = len(threes)
        _, first_of, which = np.unique(
            (places[:, 0] * size + places[:, 1]) * size + places[:, 2], return_index=True, return_inverse=True
        )
        rows = places[first_of]
        outer = self._outer(inner[rows].reshape(-1, 3 * self._width))
        outer += inner[rows[:, 1]]
        scores: Floats = self._output(outer)[which.reshape(-1)]
        return scores

    def _inner(self, vectors: Floats, left: Numbers, centre: Numbers, right: Numbers) -> Floats:
        """The first convolution without its residual: (n, width) of n different neighbours, in order."""
        self._scored += len(left)
        if not self._looked_for_adder and (self._scored >= WORTH or "numba" in sys.modules):
            self._looked_for_adder = True
            self._add = adder([self._first, self._second])
        if self._add is None:
            three = np.stack([left, centre, right], axis=1)
            return self._first(vectors[three].reshape(-1, 3 * self._width))
        # Sums over one neighbour, over two, over three: each goes on from those before. Outside adds nothing.
        weights = self._first.parts
        both = left * len(vectors) + centre
        new = np.flatnonzero(np.diff(both, prepend=-1))
        of_both = np.cumsum(np.diff(both, prepend=-1) > 0) - 1
        lefts = left[new]
        first = np.flatnonzero(np.diff(lefts, prepend=-1))
        of_left = np.cumsum(np.diff(lefts, prepend=-1) > 0) - 1
        sums = np.zeros((len(first), weights[0].shape[1]), dtype=np.float32)
        self._add(sums, vectors[lefts[first]], weights[0])
        sums = sums[of_left]
        self._add_inside(sums, vectors, centre[new], weights[1])
        sums = sums[of_both]
        self._add_inside(sums, vectors, right, weights[2])
        return self._first.of_sums(sums)

    def _add_inside(self, sums: Floats, vectors: Floats, tokens: Numbers, weights: Floats) -> None:
        assert self._add is not None
        inside = np.flatnonzero(tokens)
        if len(inside):
            more = sums[inside]
            self._add(more, vectors[tokens[inside]], weights)
            sums[inside] = more

    def _outer(self, seen: Floats) -> Floats:
        """The second convolution without its residual, of inner places beside each other (n, 3 width)."""
        if self._add is None:
            return self._second(seen)
        sums = np.zeros((len(seen), self._second.turned.shape[1]), dtype=np.float32)
        self._add(sums, seen, self._second.turned)
        return self._second.of_sums(sums)

    def best(self, scores: Floats, sizes: Sequence[int]) -> list[tuple[str, ...]]:
        """The labels of the best scores, given how many belong to each text."""
        tags = [self._labels[best] for best in scores.argmax(axis=1).tolist()]
        ends = accumulate(sizes)
        return [tuple(tags[end - size : end]) for end, size in zip(ends, sizes, strict=True)]

    def _vectors_of(self, keys: Sequence[bytes]) -> Floats:
        """Vectors (n, width) of tokens."""
        row_of = self._row_of
        try:
            rows = [row_of[key] for key in keys]
        except KeyError:
            self._embed(keys)
            rows = [self._row_of[key] for key in keys]
        return self._vectors[rows]

    def _embed(self, keys: Sequence[bytes]) -> None:
        """Work out the vectors of tokens not seen before; forget all others where there are too many."""
        new = list(dict.fromkeys(key for key in keys if key not in self._row_of))
        if len(self._row_of) + len(new) > len(self._vectors):
            new = list(dict.fromkeys(key for key in keys if key != OUTSIDE))
            self._row_of = {OUTSIDE: 0}
            self._vectors = np.zeros((max(CACHED_TOKENS, len(new) + 1), self._width), dtype=np.float32)
        ids: Ids = np.frombuffer(b"".join(new), dtype=np.uint64).reshape(len(new), -1)
        start = len(self._row_of)
        self._vectors[start : start + len(new)] = self._embedding(ids)
        self._row_of.update(zip(new, range(start, start + len(new)), strict=True))
