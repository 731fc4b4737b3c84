"""Rows of CSV as different programs write them."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stela_core import StelaError

AGAIN = 1_000_000
"""Lines of a file that are read again because a quote in a line before them was not closed."""


class Way(NamedTuple):
    """One way to write a row."""

    options: dict[str, Any]
    """Options of the csv module, in addition to the delimiter."""
    change: Callable[[str], str] = str
    """Change of a line before it is read."""


def _doubling(quote: str) -> Callable[[str], str]:
    """What writes a quote after a backslash as two quotes; other backslashes are text."""
    return lambda line: re.sub(rf"\\([\\{quote}])", lambda m: quote * 2 if m[1] == quote else m[1], line)


def _trimmed(line: str) -> str:
    r"""The line without spaces between a closing quote and the end of its cell."""
    return re.sub(r'" +(?=[,;|\t\r\n]|$)', '"', line)


STANDARD = Way({})
SPACED = Way({"skipinitialspace": True})
WAYS = (
    STANDARD,
    SPACED,
    Way({"skipinitialspace": True}, _doubling('"')),
    Way({"skipinitialspace": True}, _trimmed),
    Way({"skipinitialspace": True, "quotechar": "'"}),
    Way({"skipinitialspace": True, "quotechar": "'"}, _doubling("'")),
    Way({"quoting": csv.QUOTE_NONE, "escapechar": "\\"}),
    Way({"quoting": csv.QUOTE_NONE}),
)
"""The standard one; a space before the quote; a backslash before a quote; a space behind it; single quotes;
none, where a backslash may stand before a delimiter."""


class Rows(Iterator[list[str]]):
    """The rows of a file.

    A row is read in the first way that closes its quotes and gives as many cells as the first row has. One
    that fits in no way is given as the standard reads it; the reader of the file reports it.

    Args:
        lines: of the file.
        delimiter: between cells.
        name: of the file, in errors.
    """

    def __init__(self, lines: Iterator[str], delimiter: str, name: str) -> None:
        self._lines, self._delimiter, self._name = lines, delimiter, name
        self._ahead: deque[str] = deque()
        """Lines that were read and belong to no row so far."""
        self._again = 0
        self._spaced = re.compile(rf'(?:^|{re.escape(delimiter)}) +["\']')
        self.number = 0
        """Lines of the rows given so far."""
        self.width: int | None = None
        """Cells of the first row; ``None`` before it is read."""

    def __next__(self) -> list[str]:
        if not self._ahead:
            self._ahead.append(next(self._lines))
        row, used = self._row()
        for _ in range(used):
            self._ahead.popleft()
        self.number += used
        if self.width is None:
            self.width = len(row)
        return row

    def fits(self, row: list[str]) -> bool:
        """Whether a row has as many cells as the first; more may follow that are empty."""
        width = len(row) if self.width is None else self.width
        return len(row) >= width and not any(row[width:])

    def _row(self) -> tuple[list[str], int]:
        """The row at the lines ahead, and how many of them it takes."""
        # Its quotes would else be part of the text.
        first = (SPACED,) if self._spaced.search(self._ahead[0]) else ()
        standard: tuple[list[str], int] | None = None
        for way in first + WAYS:
            read = self._read(way)
            if read is not None and (not read[0] or self.fits(read[0])):
                return read
            standard = read if way is STANDARD else standard
        return standard or self._first_line()

    def _read(self, way: Way) -> tuple[list[str], int] | None:
        """The row read one way, or ``None`` where its quotes are not as they should be."""
        used = 0

        def lines() -> Iterator[str]:
            nonlocal used
            while used < len(self._ahead) or (line := next(self._lines, None)) is not None:
                if used == len(self._ahead):
                    assert line is not None
                    self._ahead.append(line)
                elif used:
                    self._count_again()
                used += 1
                yield way.change(self._ahead[used - 1])

        try:
            row = next(csv.reader(lines(), delimiter=self._delimiter, strict=True, **way.options), [])
        except csv.Error:
            return None
        return row, used

    def _first_line(self) -> tuple[list[str], int]:
        """The cells of the first line ahead, its quotes taken as letters: they fit in no way."""
        options: dict[str, Any] = WAYS[-1].options
        try:
            return next(csv.reader([self._ahead[0]], delimiter=self._delimiter, **options), []), 1
        except csv.Error as error:
            raise StelaError(f"{self._name}:{self.number + 1} is not CSV: {error}.", "see --format") from None

    def _count_again(self) -> None:
        self._again += 1
        if self._again > AGAIN:
            raise StelaError(f"{self._name} has too many quotes that are not closed.", "export it again")
