"""A seeded sample of a corpus: the same documents for any number of workers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Protocol


class TextCorpus(Protocol):
    """What a table is counted on: documents, with a name, and how far reading has come."""

    @property
    def name(self) -> str:
        """Name in the table."""
        ...

    @property
    def path(self) -> object:
        """What errors call it."""
        ...

    @property
    def size(self) -> int:
        """Value of :attr:`position` at the end, 0 where that is not known."""
        ...

    @property
    def position(self) -> int:
        """Bytes read so far."""
        ...

    @property
    def bad(self) -> int:
        """Lines or documents left out so far."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The documents."""
        ...


class Sampled:
    """``documents`` documents of a corpus, all sets of them alike probable, in the order of the corpus.

    The corpus is read twice, to count and to take, so that memory grows with neither; a corpus of fewer
    documents is taken whole.
    """

    def __init__(self, corpus: TextCorpus, documents: int, seed: int = 0) -> None:
        self.corpus = corpus
        self.name = corpus.name
        self.path = corpus.path
        self.bad = 0
        """Lines or documents left out of the whole corpus."""
        self.position = 0
        """Bytes read so far, of both passes."""
        self._documents = documents
        self._seed = seed

    @property
    def size(self) -> int:
        """Bytes of both passes, 0 where they are not known."""
        return 2 * self.corpus.size

    def __iter__(self) -> Iterator[str]:
        total = 0
        for _ in self.corpus:
            total += 1
            self.position = self.corpus.position
        self.bad = self.corpus.bad
        half = self.corpus.position
        count = min(self._documents, total)
        chosen = iter(sorted(random.Random(self._seed).sample(range(total), count)))
        wanted = next(chosen, None)
        if wanted is not None:
            for number, text in enumerate(self.corpus):
                if number == wanted:
                    self.position = half + self.corpus.position
                    yield text
                    wanted = next(chosen, None)
                    if wanted is None:
                        break
        self.position = 2 * half
