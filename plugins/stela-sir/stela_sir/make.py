"""What a network file holds besides the network: vectors and classes of tokens, or a sentence model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view
from stela_clusters.contexts import sums, texts
from stela_clusters.reduce import clustered, quantised, reduced

from stela_core.api import TokenBytes
from stela_sir.hasher import PURPOSE
from stela_sir.network import Layer
from stela_sir.network_file import network_file

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

DETAIL = 128
"""Dimensions in which near tokens are looked for."""


class Contexts:
    """Contexts of texts as the hasher will see them, and their vectors.

    Args:
        tokens: the vocabulary.
        width: ids of a context.
        vectors: of the tokens, (ids, dimensions); ``None`` where a model reads the contexts.
        model: name of that model.
    """

    def __init__(
        self, tokens: TokenBytes, width: int, vectors: npt.NDArray[np.int8] | None, model: str | None
    ) -> None:
        self._tokens, self._width, self._vectors = tokens, width, vectors
        self._digest: str | None = None
        if model is not None:
            from stela_models.known_sentence_models import known_sentence_model, remember_sentence_model

            self._digest = remember_sentence_model(model, PURPOSE)
            self._model = known_sentence_model(self._digest, PURPOSE, "stela sir model")

    def of_texts(self, texts: Iterable[Sequence[int]]) -> Ids:
        """Vectors of the contexts of all tokens of texts of ids, text after text, (tokens, dimensions)."""
        front = np.full(self._width, -1, dtype=np.int64)
        padded = [np.concatenate([front, np.asarray(ids, dtype=np.int64)]) for ids in texts]
        contexts = [sliding_window_view(row, self._width)[:-1] for row in padded]
        return self._of_contexts(np.concatenate([np.empty((0, self._width), dtype=np.int64), *contexts]))

    def _of_contexts(self, contexts: Ids) -> Ids:
        if self._vectors is not None:
            return sums(self._vectors, contexts)
        return self._model.vectors(texts(self._tokens, contexts))

    def file(self, layers: Sequence[Layer], classes: Ids, vocabulary: str, source: str) -> bytes:
        """The bytes of a network file with these layers."""
        return network_file(layers, self._vectors, classes, vocabulary, source, self._digest)


def token_vectors(embeddings: Floats, dimensions: int) -> npt.NDArray[np.int8]:
    """Short vectors of whole numbers for the tokens of a model, (ids, dimensions)."""
    return quantised(reduced(embeddings, dimensions))


def classes_of_clusters(tokens: TokenBytes, embeddings: Floats, rounds: int) -> Ids:
    """Lowest id of each id's cluster of ``2**rounds`` near text tokens, (ids,); without rounds its own."""
    classes = np.arange(len(tokens), dtype=np.int64)
    if rounds:
        text = np.array([index for index in range(len(tokens)) if tokens.is_text(index)], dtype=np.int64)
        for part in clustered(reduced(embeddings, DETAIL), text, rounds):
            classes[part] = min(part)
    return classes
