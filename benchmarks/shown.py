"""Rows of a benchmark that are printed as they come, and kept in a file in case it is stopped."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


class Shown:
    """A table that grows.

    Args:
        head: names of the columns.
        file: the CSV file to keep the rows in; ``None`` to only print them.
    """

    def __init__(self, head: Sequence[str], file: Path | None) -> None:
        self._rows, self._file = list[Sequence[str]](), file
        self.add(head)

    def add(self, row: Sequence[str]) -> None:
        """Print a row, and write all of them anew."""
        print(" | ".join(row), flush=True)
        self._rows.append(row)
        if self._file is not None:
            with self._file.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(self._rows)
