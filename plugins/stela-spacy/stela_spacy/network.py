"""The network of the small taggers: an embedding, two convolutions over one neighbour, an output layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_spacy.fused import FusedNetwork, Numbers, fused, worth
from stela_spacy.kernels import Affine, Floats, HashedEmbedding, Ids, MaxoutNorm
from stela_spacy.turns import InTurns, in_turns

CACHED_TOKENS = 16_384
REACH = 2
"""Tokens on each side that a score depends on: two convolutions over one neighbour."""
NEIGHBOURS = np.array([-1, 0, 1])
OUTSIDE = b""
"""Key of what lies outside the text: spaCy puts rows of zeros there, before the first convolution."""


class TailNetwork(InTurns):
    """Scores of single tokens, each from the five tokens around it; embeddings are kept by token.

    The layers do what spaCy's do, with the same numbers in each row, and the gemm (BLIS) gives a row the
    same bits whatever the other rows are: the scores are bit for bit those of the whole text.
    """

    def __init__(self, tables: Any, mixed: Any, encoder: Any, output: Any, labels: Sequence[str]) -> None:
        """Take over thinc's layers.

        Args:
            tables: concatenated ``HashEmbed`` layers.
            mixed: the maxout layer that makes one vector of their outputs.
            encoder: ``MaxoutWindowEncoder``, window 1, depth 2.
            output: layer with parameters W and b.
            labels: what to call the outputs.
        """
        super().__init__()
        self._embedding = HashedEmbedding(tables, mixed)
        # Of residual(expand_window >> (maxout >> norm)), all but the window, which is gathered here.
        self._first, self._second = [MaxoutNorm(block) for block in encoder.layers[0].layers]
        self._output = Affine(output)
        self._width: int = output.get_dim("nI")
        self._labels = tuple(labels)
        self._scored = 0
        self._looked_for_fused = False
        self._fused: FusedNetwork | None = None
        """All layers in compiled passes, once it was looked for."""
        self._row_of: dict[bytes, int] = {OUTSIDE: 0}
        self._vectors: Floats = np.zeros((CACHED_TOKENS, self._width), dtype=np.float32)

    @in_turns
    def scores(self, keys: Sequence[bytes], at: Sequence[int]) -> Floats:
        """Scores (n, labels) of the n tokens at some places of a row of tokens, in the order of ``at``.

        Args:
            keys: the bytes of each token's ids (tables, uint64), or ``OUTSIDE``. Runs of tokens may stand
                one after the other: a token's scores come of the two keys on each side and its own.
            at: places in ``keys``, with two keys on each side.
        """
        if not at:
            return np.zeros((0, len(self._labels)), dtype=np.float32)
        self._look_for_fused(len(at))
        rows = self._rows_of(keys)
        if self._fused is not None:
            return self._fused.scores(rows, at, self._vectors)
        return self._scores_of_rows(rows, at, self._vectors)

    @in_turns
    def tags(self, keys: Sequence[bytes], at: Sequence[int], sizes: Sequence[int]) -> list[tuple[str, ...]]:
        """Labels of the best :meth:`scores`, given how many of the places belong to each text."""
        self._look_for_fused(len(at))
        if self._fused is None or not at:
            return self.best(self.scores(keys, at), sizes)
        rows = self._rows_of(keys)
        return self._named(self._fused.best(rows, at, self._vectors), sizes)

    def _scores_of_rows(self, tokens: Sequence[int], at: Sequence[int], all_vectors: Floats) -> Floats:
        """Scores of tokens at some places, of each of which there is its row of the vectors."""
        vectors = all_vectors[tokens]
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

    @in_turns
    def scores_of_all(self, keys: Sequence[bytes]) -> Floats:
        """Scores (n - 4, labels) of all of n tokens but the two first and the two last: a faster way."""
        layer = self._vectors_of(keys)
        for block in (self._first, self._second):
            middle = layer[1:-1]
            layer = block(np.concatenate([layer[:-2], middle, layer[2:]], axis=1))
            layer += middle
        return self._output(layer)

    @in_turns
    def scores_around(self, keys: Sequence[bytes], around: npt.NDArray[np.int64]) -> Floats:
        """Scores (n, labels) of tokens, given the five around each: what is the same is worked out once.

        Args:
            keys: of all tokens that occur, as :meth:`scores` takes them; the first is ``OUTSIDE``.
            around: (n, 5) numbers of keys: two before, the token, two behind.
        """
        if not len(around):
            return np.zeros((0, len(self._labels)), dtype=np.float32)
        self._look_for_fused(len(around))
        rows = self._rows_of(keys)
        size = len(keys)
        # Of each token the three inner places that its score needs, each of them from three tokens.
        threes = (around[:, :3] * size + around[:, 1:4]) * size + around[:, 2:]
        threes, places = np.unique(threes, return_inverse=True)
        pairs, right = np.divmod(threes, size)
        three = np.array(rows)[np.stack([*np.divmod(pairs, size), right], axis=1)]
        places = places.reshape(-1, 3)
        size = len(threes)
        _, first_of, which = np.unique(
            (places[:, 0] * size + places[:, 1]) * size + places[:, 2], return_index=True, return_inverse=True
        )
        near = places[first_of]
        if self._fused is None:
            scores = self._scores_near(three, near)
        else:
            scores = self._fused.scores_near(three, near, self._vectors)
        return scores[which.reshape(-1)]

    def _scores_near(self, three: Numbers, near: Numbers) -> Floats:
        """Scores (n, labels), each of three (n, 3) of the inner places, which are (m, 3) rows of vectors."""
        width = 3 * self._width
        inner = self._first(self._vectors[three].reshape(-1, width))
        inner += self._vectors[three[:, 1]]
        outer = self._second(inner[near].reshape(-1, width))
        outer += inner[near[:, 1]]
        return self._output(outer)

    def best(self, scores: Floats, sizes: Sequence[int]) -> list[tuple[str, ...]]:
        """The labels of the best scores, given how many belong to each text."""
        return self._named(scores.argmax(axis=1).tolist(), sizes)

    def _named(self, numbers: Sequence[int], sizes: Sequence[int]) -> list[tuple[str, ...]]:
        tags = [self._labels[number] for number in numbers]
        ends = accumulate(sizes)
        return [tuple(tags[end - size : end]) for end, size in zip(ends, sizes, strict=True)]

    def _look_for_fused(self, more: int) -> None:
        self._scored += more
        if not self._looked_for_fused and worth(self._scored):
            self._looked_for_fused = True
            layers = self._embedding, self._first, self._second, self._output
            self._fused = fused(*layers, self._scores_of_rows)

    def _vectors_of(self, keys: Sequence[bytes]) -> Floats:
        """Vectors (n, width) of tokens."""
        rows = self._rows_of(keys)
        return self._vectors[rows]

    def _rows_of(self, keys: Sequence[bytes]) -> list[int]:
        """Rows of the vectors of tokens, known from now on."""
        row_of = self._row_of
        try:
            return [row_of[key] for key in keys]
        except KeyError:
            self._embed(keys)
            return [self._row_of[key] for key in keys]

    def _embed(self, keys: Sequence[bytes]) -> None:
        """Work out the vectors of tokens not seen before; forget all others where there are too many."""
        new = list(dict.fromkeys(key for key in keys if key not in self._row_of))
        if len(self._row_of) + len(new) > len(self._vectors):
            new = list(dict.fromkeys(key for key in keys if key != OUTSIDE))
            self._row_of = {OUTSIDE: 0}
            self._vectors = np.zeros((max(CACHED_TOKENS, len(new) + 1), self._width), dtype=np.float32)
        ids: Ids = np.frombuffer(b"".join(new), dtype=np.uint64).reshape(len(new), -1)
        start = len(self._row_of)
        if self._fused is None:
            self._vectors[start : start + len(new)] = self._embedding(ids)
        else:
            self._fused.embed(ids, self._vectors, start)
        self._row_of.update(zip(new, range(start, start + len(new)), strict=True))
