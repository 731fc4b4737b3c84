"""How far ``stela detect`` is: files of which all texts are tested, or the texts of one file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from stela_cli.documents.read import texts_of
from stela_cli.documents.reader import Note, Text
from stela_cli.documents.sources import Readers, Source
from stela_core import StelaError


class Steps:
    """Reads files, and counts them to their ends: texts are read ahead of those that are tested.

    Args:
        sources: all files, in their order.
    """

    def __init__(self, sources: Sequence[Source | StelaError]) -> None:
        self._sources = sources
        self._read = 0
        self._tested = 0
        self._ends: deque[int] = deque()
        """Texts that were read at the end of each file."""

    def read(self, column: str, note: Note, readers: Readers) -> Iterator[Text | StelaError]:
        """The texts of all files, as :func:`.texts_of`."""
        for item in texts_of(self._begun(), column, note, readers):
            self._read += isinstance(item, Text)
            yield item

    def _begun(self) -> Iterator[Source | StelaError]:
        for source in self._sources:
            yield source
            self._ends.append(self._read)  # who asks for the next one has read it

    def total(self, prompts: Sequence[str] | None) -> int | None:
        """Number of files; of one, that of its texts, where prompts say it."""
        if len(self._sources) > 1:
            return len(self._sources)
        return None if prompts is None else len(prompts)

    def done(self, texts: int) -> int:
        """Steps that ``texts`` more texts are: files that they finish."""
        if len(self._sources) == 1:
            return texts
        self._tested += texts
        files = 0
        while self._ends and self._ends[0] <= self._tested:
            self._ends.popleft()
            files += 1
        return files
