"""Tags of a text's last words, from those words alone: the fast path of the shipped model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

CACHED_TOKENS = 16_384
BATCH = 1_024
REACH = 2
SEEN = 2 * REACH + 1
OUTSIDE = b""


class TailTagger:
    """Run the layers of a spaCy tagger of encoder depth 2 and window 1 on its last tokens alone.

    Two convolutions over one neighbour on each side make a tag depend on 5 tokens. The layers are
    spaCy's own, called with the same numbers in each row, and the gemm it uses (BLIS) gives a row the
    same bits whatever the other rows are: the scores are bit for bit those of ``nlp(text)``. Saved are
    the embeddings, kept by token, the rest of the text, and the bookkeeping of about 30 layers.
    """

    def __init__(self, nlp: Language) -> None:
        tagger: Any = nlp.get_pipe("tagger")
        tok2vec, output = tagger.model.layers
        embed, encode = tok2vec.layers
        extract, _, hashed, mixed, _ = embed.layers
        self._columns: list[int | str] = extract.attrs["columns"]
        self._hashed, self._mixed = hashed, mixed
        # Of residual(expand_window >> (maxout >> norm)), all but the window, which is gathered here.
        self._blocks = [residual.layers[0].layers[1] for residual in encode.layers[0].layers]
        self._output = output.layers[0]
        self._labels: tuple[str, ...] = tagger.labels
        self._width: int = tok2vec.get_dim("nO")
        # Row 0 stands for what lies outside the text: spaCy puts two rows of zeros there.
        self._row_of: dict[bytes, int] = {OUTSIDE: 0}
        self._vectors = np.zeros((CACHED_TOKENS, self._width), dtype=np.float32)

    def last_tags(self, docs: Sequence[Doc], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each tokenised text, in their order; white space has none."""
        found: list[tuple[str, ...]] = []
        for start in range(0, len(docs), BATCH):
            found += self._batch(docs[start : start + BATCH], count)
        return found

    def scores(self, docs: Sequence[Doc], count: int) -> tuple[npt.NDArray[np.float32], list[int]]:
        """Scores (n, labels) of the last ``count`` words of all texts, and how many each text has."""
        keys: list[bytes] = []
        sizes: list[int] = []
        for doc in docs:
            words = _last_words(doc, count)
            sizes.append(len(words))
            if not words:
                continue
            attributes = doc.to_array(self._columns)
            raw, size = attributes.tobytes(), attributes.strides[0]
            tokens = [raw[i : i + size] for i in range(0, len(raw), size)]
            padded = [OUTSIDE] * REACH + tokens + [OUTSIDE] * REACH
            for word in words:
                keys += padded[word : word + SEEN]
        if not keys:
            return np.zeros((0, len(self._labels)), dtype=np.float32), sizes
        width = self._width
        near = self._vectors_of(keys).reshape(-1, SEEN * width)
        # Three neighbouring vectors lie side by side: the windows of the middle three tokens.
        windows = [near[:, i * width : (i + 3) * width] for i in range(3)]
        first, second = self._blocks
        inner = first.predict(np.concatenate(windows, axis=1).reshape(-1, 3 * width))
        inner += near[:, width : 4 * width].reshape(-1, width)
        inner = inner.reshape(-1, 3 * width)
        return self._output.predict(second.predict(inner) + inner[:, width : 2 * width]), sizes

    def _batch(self, docs: Sequence[Doc], count: int) -> list[tuple[str, ...]]:
        scores, sizes = self.scores(docs, count)
        tags = [self._labels[best] for best in scores.argmax(axis=1).tolist()]
        ends = np.cumsum(sizes).tolist()
        return [tuple(tags[end - size : end]) for end, size in zip(ends, sizes, strict=True)]

    def _vectors_of(self, keys: list[bytes]) -> npt.NDArray[np.float32]:
        """Vectors (n, width) of tokens, each named by the bytes of its attributes."""
        new = list(dict.fromkeys(key for key in keys if key not in self._row_of))
        if len(self._row_of) + len(new) > len(self._vectors):
            new = list(dict.fromkeys(key for key in keys if key != OUTSIDE))
            self._row_of = {OUTSIDE: 0}
            self._vectors = np.zeros((max(CACHED_TOKENS, len(new) + 1), self._width), dtype=np.float32)
        if new:
            attributes = np.frombuffer(b"".join(new), dtype=np.uint64).reshape(len(new), -1)
            start = len(self._row_of)
            self._vectors[start : start + len(new)] = self._mixed.predict(self._hashed.predict(attributes))
            self._row_of.update(zip(new, range(start, start + len(new)), strict=True))
        return self._vectors[[self._row_of[key] for key in keys]]


def _last_words(doc: Doc, count: int) -> list[int]:
    """Positions of the last ``count`` tokens that are not white space, in the order of the text."""
    words: list[int] = []
    position = len(doc)
    while position and len(words) < count:
        position -= 1
        if not doc[position].is_space:
            words.append(position)
    return words[::-1]
