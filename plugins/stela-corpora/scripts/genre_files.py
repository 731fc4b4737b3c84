"""What the scripts of the genres share: a document, its length, and a file of documents."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple


class Document(NamedTuple):
    """A text and where it comes from."""

    text: str
    source: str


class Table(NamedTuple):
    """A header, rows, and where they come from."""

    header: list[str]
    rows: list[list[object]]
    source: str


def by_lines(lines: Iterable[str], characters: int) -> Iterator[str]:
    """Texts of whole lines, each of ``characters`` or somewhat more; a rest that is shorter is left out."""
    held: list[str] = []
    length = 0
    for line in lines:
        held.append(line)
        length += len(line) + 1
        if length >= characters:
            yield "\n".join(held)
            held, length = [], 0


def spread(documents: list[Document], most: int) -> list[Document]:
    """Documents evenly taken from all of them, at most ``most``."""
    count = min(most, len(documents))
    return [documents[number * len(documents) // count] for number in range(count)]


def write(path: Path, documents: Iterable[Document]) -> None:
    """Write JSON lines, compressed; the file says nothing of when or where it was made."""
    lines = [json.dumps(document._asdict(), ensure_ascii=False) + "\n" for document in documents]
    path.write_bytes(lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{path.name}: {len(lines)} documents, {path.stat().st_size} bytes")
