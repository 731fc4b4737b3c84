"""Tables, as comma-separated values: facts of Python's library, calendars, numbers, and records made up."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from genre_files import Document
from table_facts import facts
from table_numbers import numbers
from table_records import records

CHARACTERS = 2000
"""Characters of a table, at most one row more."""


def as_csv(header: list[str], rows: Iterable[list[object]]) -> Iterator[str]:
    """The table in parts of about :data:`CHARACTERS`, each with the header; a shorter rest is left out."""
    held = io.StringIO()
    for row in rows:
        if not held.tell():
            csv.writer(held, lineterminator="\n").writerow(header)
        csv.writer(held, lineterminator="\n").writerow(row)
        if held.tell() >= CHARACTERS:
            yield held.getvalue()
            held = io.StringIO()


def tables(per_table: int = 12) -> list[Document]:
    """Up to ``per_table`` parts of each table, spread over it."""
    documents = []
    for header, rows, source in (*facts(), *numbers(), *records()):
        parts = list(as_csv(header, rows))
        count = min(per_table, len(parts))
        chosen = [parts[number * len(parts) // count] for number in range(count)]
        documents += [Document(part, source) for part in chosen]
    return documents
