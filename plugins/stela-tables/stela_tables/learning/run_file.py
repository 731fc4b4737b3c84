"""A run: sums of many shards in one file, by section and part, so that any stretch is read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from stela_tables.learning.keys import PARTS
from stela_tables.learning.records import RECORD, Block, Section, by_part

GROUP = 1 << 20
"""Records that are read at once: 24 MiB, and some copies of them. One part is never split."""

Sizes = npt.NDArray[np.int64]


class RunWriter:
    """Write a run: blocks by section in their order, parts of one section in theirs."""

    def __init__(self, path: Path, sections: Sequence[Section]) -> None:
        self._file = path.open("wb")
        self._numbers = {section: number for number, section in enumerate(sections)}
        self._sizes = np.zeros((len(sections), PARTS), dtype="<i8")
        self._file.write(self._sizes.tobytes())

    def append(self, section: Section, block: Block) -> None:
        """Write what comes next: a section whole, or some of its parts."""
        records, sizes = by_part(block)
        self._sizes[self._numbers[section]] += sizes
        records.tofile(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.seek(0)
        self._file.write(self._sizes.tobytes())
        self._file.close()


class Run:
    """A run to read from."""

    def __init__(self, path: Path, sections: Sequence[Section]) -> None:
        self.path = path
        self._numbers = {section: number for number, section in enumerate(sections)}
        cells = len(sections) * PARTS
        sizes = np.fromfile(path, dtype="<i8", count=cells)
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._sizes = sizes.reshape(len(sections), PARTS)

    def sizes(self, section: Section) -> Sizes:
        """Records of each part, (``PARTS``,)."""
        sizes: Sizes = self._sizes[self._numbers[section]]
        return sizes

    def read(self, section: Section, first: int, last: int) -> Block:
        """The records of the parts ``first:last``."""
        number = self._numbers[section]
        start = int(self._starts[number * PARTS + first])
        stop = int(self._starts[number * PARTS + last])
        offset = self._sizes.nbytes + start * RECORD.itemsize
        records = np.fromfile(self.path, dtype=RECORD, count=stop - start, offset=offset)
        parts = np.repeat(np.arange(first, last, dtype=np.uint8), self._sizes[number, first:last])
        order = np.argsort(records["key"])
        return Block(records[order], parts[order])


def groups_of(sizes: Sizes, limit: int = GROUP) -> list[tuple[int, int]]:
    """Ranges of neighbouring parts, none larger than ``limit`` records unless a single part is."""
    ranges: list[tuple[int, int]] = []
    first = held = 0
    for part, size in enumerate(sizes.tolist()):
        if part > first and held + size > limit:
            ranges.append((first, part))
            first, held = part, 0
        held += size
    return [*ranges, (first, len(sizes))]
