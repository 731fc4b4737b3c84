"""Texts in a column of a CSV file, read row by row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from stela_cli.documents.json_lines import tell, value_of
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import HEAD, MOST, Stream, bounded_line, decoded

from stela_core import StelaError
from stela_documents.csv_dialects import Rows
from stela_documents.records import Records

DELIMITERS = ",;\t|"
CELLS = 1_000_000
"""Delimiters in one line."""

LINES = 100_000
"""Lines of one row: more means that a quote is never closed."""


class Csv(Reader):
    """Texts in a column, the one that the first row names so."""

    name = "documents-csv"
    format = "csv"
    called = "CSV"
    suffixes = (".csv", ".tsv")

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """The first row names several columns, ``column`` among them, and the second has as many cells."""
        head = stream.head(HEAD)
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        return start[:1] not in (b"{", b"[", b"<") and _is_csv(head, column)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
        """The text of each row, or what is wrong with that row.

        Args:
            stream: the file.
            name: of it.
            column: name of a column; with ``.PATH`` behind it, the place in the JSON of its cells.
            note: is told what of servers' answers in cells is left out.

        Raises:
            StelaError: there is no such column, or the file is not CSV in UTF-8.
        """
        lines = _Lines(stream, name)
        first = next(lines, "")
        if (
            first.lower().startswith("sep=") and len(first.rstrip("\r\n")) == 5
        ):  # as Excel names the delimiter
            lines.skipped, first = 1, next(lines, "")
        if not first:
            raise StelaError(f"{name} is empty.", "give rows below a row of names")
        lines.again(first)
        rows = Rows(lines, delimiter_of(first, column, name) or ",", name)
        limit = csv.field_size_limit(MOST)  # of the whole process: 128 KiB, which a long text passes
        try:
            header = next(rows, [])
            place, path = _place_of(header, column, name)
            records = Records(name, path or column)
            start = rows.number + 1
            for row in rows:
                lines.pending = lines.joined = 0
                where, start = f"{name}:{start + lines.skipped}", rows.number + 1
                if not any(map(str.strip, row)):
                    continue
                if place >= len(row):
                    yield StelaError(
                        f'{where} has no "{column}": it has {len(row)} cells.', "correct the row"
                    )
                elif not rows.fits(row):
                    yield StelaError(
                        f"{where} has {len(row)} cells, and the first row {len(header)}.",
                        "correct the row: a text with a delimiter in it stands in double quotes",
                    )
                elif path is None:
                    yield Text(where, row[place])
                else:
                    yield from _in_cell(records, row[place], where)
            yield from records.ended()
            tell(records, note)
        except csv.Error as error:
            raise StelaError(f"{name}:{lines.number} is not CSV: {error}.", "see --format") from None
        finally:
            csv.field_size_limit(limit)


def _place_of(header: list[str], column: str, name: str) -> tuple[int, str | None]:
    """Number of a column, and its path inside the cell, as :func:`column_in` gives them.

    Raises:
        StelaError: there is no such column, or there are several.
    """
    named = column_in(header, column)
    if named is None:
        known = ", ".join(cell[:40] for cell in names_of(header)[:8]) or "none"
        raise StelaError(f'{name} has no column "{column}".', f"name one with --column; it has: {known}")
    names = names_of(header)
    called = names[named[0]]
    if names.count(called) > 1:
        raise StelaError(f'{name} has several columns called "{called}".', "rename all but one of them")
    return named


def names_of(header: list[str]) -> list[str]:
    """The names in the first row, without spaces and quotes around them."""
    return [cell.strip().strip('"').strip() for cell in header]


def column_in(header: list[str], column: str) -> tuple[int, str | None] | None:
    """Place of a column, and the rest of a dotted path that begins with its name, if there is one.

    Spaces around the names do not count.
    """
    names = names_of(header)
    column = column.strip()
    if column in names:
        return names.index(column), None
    for dot in (place for place, character in enumerate(column) if character == "."):
        if column[:dot] in names:
            return names.index(column[:dot]), column[dot + 1 :]
    return None


def _in_cell(records: Records, cell: str, where: str) -> Iterator[Text | StelaError]:
    """The texts of the JSON in a cell."""
    try:
        value = value_of(cell.encode("utf-8", "surrogatepass"), where, "name a column of texts with --column")
        yield from records.texts(value, where)
    except StelaError as error:
        yield error


def delimiter_of(line: str, column: str, name: str = "") -> str | None:
    """What separates the names in a first line among which is ``column``; ``None`` where none does."""
    for delimiter in ("\t" + DELIMITERS) if name.lower().endswith(".tsv") else DELIMITERS:
        try:
            header = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        if column_in(header, column) is not None and len(header) > 1:
            return delimiter
    return None


class _Lines(Iterator[str]):
    """Lines of a file, bounded one by one and, by ``pending``, row by row."""

    def __init__(self, stream: Stream, name: str) -> None:
        self._lines = io.BufferedReader(stream)
        self._name = name
        self._again: str | None = None
        self.number = self.skipped = 0
        """Lines read, and those before the row of names."""
        self.pending = self.joined = 0
        """Bytes and lines since they were last set to 0: of one row, since quotes may join lines."""

    def again(self, line: str) -> None:
        """Give this line again."""
        self._again = line
        self.number = 0

    def __next__(self) -> str:
        self.number += 1
        if self._again is not None:
            line, self._again = self._again, None
            return line
        data = bounded_line(self._lines, self._name, self.number)
        self.pending += len(data)
        self.joined += 1
        if not data:
            self.number -= 1
            raise StopIteration
        where = f"{self._name}:{self.number}"
        if self.pending > MOST or self.joined > LINES:
            raise StelaError(
                f"{where} is in a row of more than {LINES:,} lines or 16 MiB.", "is a quote not closed?"
            )
        line = decoded(data, where)
        if max(map(line.count, DELIMITERS)) > CELLS:
            raise StelaError(f"{where} has more than {CELLS:,} cells.", "see --format")
        return line


def _is_csv(head: bytes, column: str) -> bool:
    text = head.decode("utf-8-sig", "ignore")
    delimiter = delimiter_of(text.split("\n", 1)[0], column)
    if delimiter is None:
        return False
    try:
        rows = list(islice(csv.reader(text.splitlines(keepends=True), delimiter=delimiter), 3))
    except csv.Error:
        return True  # a cell longer than the csv module takes by default
    if len(rows) < 2:
        return False
    # The last row may be cut off by the end of the head.
    fits = len(rows[0]) == len(rows[1]) or (len(rows) == 2 and len(text) >= HEAD // 4)
    words = all(re.fullmatch(r"[\w.-]+", cell) for cell in names_of(rows[0]))
    return fits or (words and len(rows[1]) > len(rows[0]))
