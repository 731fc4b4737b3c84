"""Count the tag n-grams of documents: across sentences and pieces, never across documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from stela_core.interfaces import Tagger
from stela_core.tables.counts import Ngram
from stela_core.tables.pieces import pieces_of

SHARD = 100_000
"""Characters of a shard; fixed, so that results do not depend on the number of workers."""


@dataclass
class Tally:
    """Counts of some documents, for each k."""

    documents: int = 0
    tags: int = 0
    counts: dict[int, Counter[Ngram]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add the counts of other documents."""
        self.documents += other.documents
        self.tags += other.tags
        for k, counts in other.counts.items():
            self.counts.setdefault(k, Counter()).update(counts)


def shards_of(texts: Iterable[str]) -> Iterator[list[str]]:
    """Consecutive documents, as many as reach ``SHARD`` characters."""
    shard: list[str] = []
    size = 0
    for text in texts:
        shard.append(text)
        size += len(text) + 1  # empty documents, too, fill a shard in the end
        if size >= SHARD:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def count_documents(tagger: Tagger, ks: Sequence[int], texts: Sequence[str]) -> Tally:
    """Tag documents and count their n-grams of each length in ``ks``."""
    tally = Tally(len(texts), 0, {k: Counter() for k in ks})
    kept = max(ks) - 1
    carried: list[str] = []
    current = -1
    for batch in _batches(texts):
        tagged = tagger.tag([piece for _, piece in batch])
        for (document, _), tags in zip(batch, tagged, strict=True):
            if document != current:
                carried, current = [], document
            names = [tag.tag for tag in tags]
            tally.tags += len(names)
            sequence = carried + names
            for k, counts in tally.counts.items():
                # n-grams that end in this piece: those within the carried tags were counted before.
                part = sequence[max(0, len(carried) - k + 1) :]
                counts.update(zip(*(part[i:] for i in range(k)), strict=False))
            carried = sequence[len(sequence) - kept :] if len(sequence) > kept else sequence
    return tally


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """(number of the document, piece), in batches that a tagger can hold in memory."""
    batch: list[tuple[int, str]] = []
    size = 0
    for number, text in enumerate(texts):
        for piece in pieces_of(text):
            batch.append((number, piece))
            size += len(piece)
            if size >= SHARD:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch
