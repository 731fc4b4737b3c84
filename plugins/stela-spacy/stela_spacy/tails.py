"""Tags of a text's last words, from only those words: the fast path of the small taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from stela_spacy.kernels import Floats
from stela_spacy.network import TailNetwork
from stela_spacy.overlaps import last_words
from stela_spacy.piece_tokens import PieceTokens
from stela_spacy.text_ends import Run
from stela_spacy.turns import InTurns, in_turns

if TYPE_CHECKING:
    from spacy.language import Language

BATCH = 1_024
AT_ONCE = 4_096
"""Words of overlapping windows that are scored in one pass, at most."""


class TailTagger(InTurns):
    """Run a spaCy tagger or morphologizer of encoder depth 2 and window 1 only on a text's last tokens.

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
        super().__init__()
        tagger: Any = nlp.get_pipe(component)
        tok2vec, output = tagger.model.layers
        embed, encode = tok2vec.layers
        extract, _, hashed, mixed, _ = embed.layers
        self.columns: list[int | str] = extract.attrs["columns"]
        self.network = TailNetwork(hashed, mixed, encode, output.layers[0], labels)
        self._nlp, self.component, self.labels = nlp, component, labels
        self._make_doc = nlp.make_doc
        self._pieces: PieceTokens | None = None
        """Tokens of what stands between white space; made when tags are first asked for."""

    @in_turns
    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` > 0 tags of each text, in their order; white space has none."""
        tags: list[tuple[str, ...]] = []
        for start in range(0, len(texts), BATCH):
            run = self._run(texts[start : start + BATCH], count)
            tags += self.network.tags(run.keys, run.places, run.sizes)
        return tags

    @in_turns
    def scores(self, texts: Sequence[str], count: int) -> tuple[Floats, list[int]]:
        """Scores (n, labels) of the last ``count`` > 0 words of all texts, and how many each text has."""
        run = self._run(texts, count)
        return self.network.scores(run.keys, run.places), run.sizes

    def _run(self, texts: Sequence[str], count: int) -> Run:
        table, run = self._table(), Run()
        for text in texts:
            if not run.take_pieces(table, text, count):
                run.take_doc(self._make_doc(text), self.columns, count)
        return run

    @in_turns
    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...] | None]]:
        """The last ``count`` > 0 tags of windows of texts, and ``None`` where :meth:`last_tags` has to tell.

        Each piece between white space is cut once, and each word is scored once where the same stand around
        it. No window may begin with white space.
        """
        table = self._table()
        tags: list[list[tuple[str, ...] | None]] = []
        for first, last in _runs([len(each) for each in spans], BATCH):
            group = [
                last_words(table, text, each, count)
                for text, each in zip(texts[first:last], spans[first:last], strict=True)
            ]
            around = np.concatenate([one.tokens for one in group])
            used, numbers = np.unique(np.append(around, 0), return_inverse=True)
            keys = table.keys(used.tolist())
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

    def _table(self) -> PieceTokens:
        if self._pieces is None:
            self._pieces = PieceTokens(self._nlp, self.columns)
        self._pieces.make_room()
        return self._pieces


def _runs(sizes: Sequence[int], least: int) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of runs that add up to ``least`` each, but for the last one."""
    first = total = 0
    for last, size in enumerate(sizes, 1):
        total += size
        if total >= least or last == len(sizes):
            yield first, last
            first, total = last, 0
