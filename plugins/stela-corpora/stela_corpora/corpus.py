"""Stream the documents of a corpus: JSON lines with a ``text``, plain or compressed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from stela_core import StelaError
from stela_core.api import Limits
from stela_corpora.lines import LineFile

LIMITS = Limits(string=16 << 20)
COMPRESSED = (".gz", ".xz", ".zst")


class Corpus:
    """The documents of one file, in order, with bounded memory.

    Iterating raises StelaError where the file is missing or corrupt, or a line is not UTF-8, not JSON,
    has no string ``text`` (or of the name that ``column`` gives), or holds lone surrogates. With
    ``skip_bad`` such lines are counted in :attr:`bad` and left out.
    """

    def __init__(self, path: str | Path, skip_bad: bool = False, column: str = "text") -> None:
        self.path = Path(path)
        self.column = column
        self.skip_bad = skip_bad
        self.bad = 0
        """Lines left out so far."""
        self._file = LineFile(path, "corpus", "give a .jsonl file")

    @property
    def name(self) -> str:
        """The file name without endings."""
        return file_stem(self.path)

    @property
    def position(self) -> int:
        """Bytes of the file read so far."""
        return self._file.position

    @property
    def size(self) -> int:
        """Bytes of the file, 0 for a pipe.

        Raises:
            StelaError: it is missing, or is not a file.
        """
        return self._file.size

    def __iter__(self) -> Iterator[str]:
        self.bad = 0
        for number, line in enumerate(self._file, 1):
            if not line.strip():
                continue
            try:
                yield parse_line(line, self.column)
            except ValueError as error:
                if not self.skip_bad:
                    wanted = f'each line is a JSON object with a string "{self.column}"'
                    raise StelaError(
                        f"{self.path}:{number} {error}.", f"{wanted}; --skip-bad leaves such lines out"
                    ) from None
                self.bad += 1


def parse_line(line: bytes, column: str = "text") -> str:
    """The ``text`` of one line, or what another ``column`` holds.

    Raises:
        ValueError: saying what is wrong with the line.
    """
    too_much = LIMITS.excess(line)
    if too_much is not None:
        raise ValueError(f"is {too_much}")
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {line[error.start]:#04x} at {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({getattr(error, 'msg', 'too deep')})") from None
    text = record.get(column) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise ValueError(f'has no string "{column}"')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"holds a lone surrogate (character {error.start} of its text)") from None
    return text


def file_stem(path: Path) -> str:
    """A file's name without its ending, nor that of its compression."""
    file = Path(path.stem) if path.suffix in COMPRESSED else Path(path.name)
    return file.stem.encode(errors="replace").decode()


def distinct(names: Iterable[str]) -> list[str]:
    """The names, numbered where two are alike."""
    apart: list[str] = []
    for stem in names:
        name, number = stem, 1
        while name in apart:
            number += 1
            name = f"{stem}-{number}"
        apart.append(name)
    return apart
