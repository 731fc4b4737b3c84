"""Pieces of documents in batches, each with the place where reading goes on after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from stela_corpora.sampled import TextCorpus
from tokenizers import Tokenizer

from stela_core.api import TokenBytes

PIECE = 512
"""Tokens of a document that are read at once."""

BATCH = 16
"""Pieces that the model reads at once."""


class Place(NamedTuple):
    """Point that reading has come to."""

    model: int = 0
    corpus: int = 0
    document: int = 0
    """Documents of the corpus that are done, for this model."""
    piece: int = 0
    """Tokens of the next one that are."""
    read: int = 0
    """Tokens of the corpus that are."""
    pieces: int = 0
    """Pieces read of all corpora, by all models."""


class Batch(NamedTuple):
    """What a worker reads at a time."""

    model: int
    rows: list[list[int]]
    """Token ids of pieces, at least two each."""
    place: Place
    """Place behind it."""

    @property
    def size(self) -> int:
        """Tokens."""
        return sum(map(len, self.rows))


def batches(
    corpora: Sequence[TextCorpus], tokenizers: Sequence[Tokenizer], limit: int, start: Place
) -> Iterator[Batch]:
    """All corpora for the first model, then the same text for the next ones.

    Args:
        corpora: read once for each model, and from the beginning where reading goes on.
        tokenizers: of the models.
        limit: tokens of each corpus, by the first model's tokenizer.
        start: where to begin.
    """
    place = start
    for model, tokenizer in enumerate(tokenizers):
        for number, corpus in enumerate(corpora):
            if (model, number) < (start.model, start.corpus):
                continue
            if (model, number) != (start.model, start.corpus):
                place = Place(model, number, pieces=place.pieces)
            texts = corpus if model == 0 else _same_text(corpus, tokenizers[0], limit)
            for batch in _of_corpus(texts, tokenizer, limit if model == 0 else None, place):
                place = batch.place
                yield batch


def _of_corpus(
    texts: Iterable[str], tokenizer: Tokenizer, limit: int | None, start: Place
) -> Iterator[Batch]:
    """Batches until the limit of tokens is reached; a batch holds pieces of one corpus."""
    if limit is not None and start.read >= limit > 0:
        return
    rows: list[list[int]] = []
    place = start
    for number, text in enumerate(texts):
        if number < start.document:
            continue
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for begin in range(start.piece if number == start.document else 0, len(ids) - 1, PIECE):
            rows.append(ids[begin : begin + PIECE])
            read = place.read + len(rows[-1])
            place = place._replace(document=number, piece=begin + PIECE, read=read, pieces=place.pieces + 1)
            if len(rows) == BATCH:
                yield Batch(place.model, rows, place)
                rows = []
            if limit is not None and read >= limit:
                break
        if limit is not None and place.read >= limit:
            break
    if rows:
        yield Batch(place.model, rows, place)


def _same_text(corpus: TextCorpus, tokenizer: Tokenizer, limit: int) -> Iterator[str]:
    """The text that :func:`_of_corpus` reads with this tokenizer."""
    tokens = TokenBytes.of(tokenizer)
    read = 0
    for text in corpus:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for begin in range(0, len(ids) - 1, PIECE):
            read += len(ids[begin : begin + PIECE])
            if read >= limit:
                end = begin + PIECE
                yield text if end >= len(ids) else tokens.text_and_ends(ids[:end])[0]
                return
        yield text
