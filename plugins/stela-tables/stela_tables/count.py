"""Count the tag n-grams of documents: across sentences, pieces and shards, never across documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stela_corpora.pieces import pieces_of

from stela_core import Tagger
from stela_tables.counts import Ngram

SHARD = 40_000
"""Characters of a shard, and at most one piece more; so much is handed to a worker at a time."""


class Piece(NamedTuple):
    """A part of a document."""

    text: str
    first: bool
    """Whether it begins a document; if not, it goes on with that of the piece before."""


@dataclass
class Tally:
    """Counts of some documents, for each k.

    Where documents are cut between shards, the tags at both ends tell which n-grams lie across the cut.
    """

    documents: int = 0
    """Documents that begin here."""
    tags: int = 0
    counts: dict[int, Counter[Ngram]] = field(default_factory=dict)
    head: tuple[str, ...] = ()
    """First tags, one less than the largest k, of what goes on with a document begun before."""
    tail: tuple[str, ...] = ()
    """Last tags, one less than the largest k, of the last document."""

    def add(self, other: Tally) -> None:
        """Add the counts of what follows."""
        self.documents += other.documents
        self.tags += other.tags
        for k, counts in other.counts.items():
            own = self.counts.setdefault(k, Counter())
            own.update(counts)
            if k > 1 and other.head:
                # Each side is shorter than k, so every n-gram of both lies across the cut.
                own.update(_ngrams((*self.tail[1 - k :], *other.head[: k - 1]), k))
        if other.documents:
            self.tail = other.tail
        else:
            self.tail = (self.tail + other.tail)[1 - max(other.counts, default=1) :]


def shards_of(texts: Iterable[str]) -> Iterator[list[Piece]]:
    """Consecutive pieces of documents, as many as reach ``SHARD`` characters: long documents are cut."""
    shard: list[Piece] = []
    size = 0
    for text in texts:
        first = True
        for piece in pieces_of(text) if text else [""]:
            shard.append(Piece(piece, first))
            first = False
            size += len(piece) + 1  # empty documents, too, fill a shard in the end
            if size >= SHARD:
                yield shard
                shard, size = [], 0
    if shard:
        yield shard


def count_shard(tagger: Tagger, ks: Sequence[int], shard: Sequence[Piece]) -> Tally:
    """Tag pieces and count their n-grams of each length in ``ks``."""
    tally = Tally(0, 0, {k: Counter() for k in ks})
    kept = max(ks) - 1
    known: dict[str, str] = {}  # one object for each tag: less memory, and less to send
    head: list[str] = []
    carried: list[str] = []
    for piece, tags in zip(shard, tagger.tag([piece.text for piece in shard]), strict=True):
        if piece.first:
            tally.documents += 1
            carried = []
        names = [known.setdefault(tag.tag, tag.tag) for tag in tags]
        tally.tags += len(names)
        if not tally.documents and len(head) < kept:
            head += names[: kept - len(head)]
        sequence = carried + names
        for k, counts in tally.counts.items():
            # n-grams that end in this piece: those within the carried tags were counted before.
            counts.update(_ngrams(sequence[max(0, len(carried) - k + 1) :], k))
        carried = sequence[len(sequence) - kept :] if len(sequence) > kept else sequence
    tally.head, tally.tail = tuple(head), tuple(carried)
    return tally


def _ngrams(tags: Sequence[str], k: int) -> Iterator[Ngram]:
    return zip(*(tags[i:] for i in range(k)), strict=False)
