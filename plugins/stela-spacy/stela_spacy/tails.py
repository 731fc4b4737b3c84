"""Tags of a text's last words, from those words alone: the fast path of the small taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from stela_spacy.kernels import Floats
from stela_spacy.network import OUTSIDE, REACH, TailNetwork
from stela_spacy.overlaps import last_words
from stela_spacy.piece_tokens import PieceTokens

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

BATCH = 1_024
AT_ONCE = 4_096
"""Words of overlapping windows that are scored in one pass, at most."""


class TailTagger:
    """Run a spaCy tagger or morphologizer of encoder depth 2 and window 1 on a text's last tokens alone.

    Its scores are bit for bit those of ``nlp(text)``. Saved are the embeddings, kept by token, the rest
    of the text, and the bookkeeping of about 30 layers.
    """

    def __init__(self, nlp: Language, component: str, labels: Sequence[str]) -> None:
        """Take over the layers.

        Args:
            nlp: the pipeline.
            component: name of its tagger or morphologizer, which has its own ``Tok2Vec``.
            labels: what to call the labels, in the order of the component's.
        """
        tagger: Any = nlp.get_pipe(component)
        tok2vec, output = tagger.model.layers
        embed, encode = tok2vec.layers
        extract, _, hashed, mixed, _ = embed.layers
        self.columns: list[int | str] = extract.attrs["columns"]
        self.network = TailNetwork(hashed, mixed, encode, output.layers[0], labels)
        self._nlp, self.component, self.labels = nlp, component, labels
        self._make_doc = nlp.make_doc
        self._pieces: PieceTokens | None = None
        """Of what stands between white space; made when texts are first asked about as a whole."""

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, in their order; white space has none."""
        tags: list[tuple[str, ...]] = []
        for start in range(0, len(texts), BATCH):
            docs = [self._make_doc(text) for text in texts[start : start + BATCH]]
            scores, sizes = self.scores(docs, count)
            tags += self.network.best(scores, sizes)
        return tags

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...] | None]]:
        """The last ``count`` > 0 tags of windows of texts, and ``None`` where :meth:`last_tags` has to tell.

        Each piece between white space is cut once, and each word is scored once where the same stand around
        it. No window may begin with white space.
        """
        if self._pieces is None:
            self._pieces = PieceTokens(self._nlp, self.columns)
        self._pieces.make_room()
        tags: list[list[tuple[str, ...] | None]] = []
        for first, last in _runs([len(each) for each in spans], BATCH):
            group = [
                last_words(self._pieces, text, each, count)
                for text, each in zip(texts[first:last], spans[first:last], strict=True)
            ]
            around = np.concatenate([one.tokens for one in group])
            used, numbers = np.unique(np.append(around, 0), return_inverse=True)
            keys = self._pieces.keys(used.tolist())
            numbers = numbers[:-1].reshape(around.shape)
            starts = range(0, max(len(numbers), 1), AT_ONCE)
            slices = [self.network.scores_around(keys, numbers[i : i + AT_ONCE]) for i in starts]
            scores = np.concatenate(slices)
            sizes = np.concatenate([one.sizes for one in group]).tolist()
            unsure = np.concatenate([one.unsure for one in group]).tolist()
            of_windows = iter(
                None if other else best
                for best, other in zip(self.network.best(scores, sizes), unsure, strict=True)
            )
            tags += [list(islice(of_windows, len(one.sizes))) for one in group]
        return tags

    def scores(self, docs: Sequence[Doc], count: int) -> tuple[Floats, list[int]]:
        """Scores (n, labels) of the last ``count`` words of all texts, and how many each text has."""
        keys: list[bytes] = []
        places: list[int] = []
        sizes: list[int] = []
        for doc in docs:
            words = _last_words(doc, count)
            sizes.append(len(words))
            if not words:
                continue
            attributes = doc.to_array(self.columns)
            raw, size = attributes.tobytes(), attributes.strides[0]
            start = max(0, words[0] - REACH)
            tokens = [raw[i : i + size] for i in range(start * size, len(raw), size)]
            # Places count from the first token kept, after two keys that stand for the outside.
            offset = len(keys) + REACH - start
            keys += [OUTSIDE] * REACH + tokens + [OUTSIDE] * REACH
            places += [offset + word for word in words]
        return self.network.scores(keys, places), sizes


def _last_words(doc: Doc, count: int) -> list[int]:
    """Positions of the last ``count`` tokens that are not white space, in the order of the text."""
    words: list[int] = []
    position = len(doc)
    while position and len(words) < count:
        position -= 1
        if not doc[position].is_space:
            words.append(position)
    return words[::-1]


def _runs(sizes: Sequence[int], least: int) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of runs that add up to ``least`` each, but for the last one."""
    first = total = 0
    for last, size in enumerate(sizes, 1):
        total += size
        if total >= least or last == len(sizes):
            yield first, last
            first, total = last, 0
