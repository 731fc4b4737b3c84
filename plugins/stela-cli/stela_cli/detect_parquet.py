"""``stela detect --parquet``: the columns of ``--csv``, with their types."""

from __future__ import annotations

from typing import Any, BinaryIO

from stela_cli.detect_output import Output
from stela_cli.rows import INTEGERS, STRINGS, Columns, Row
from stela_core import Attribution, Detection, MissingLibraryError

AT_ONCE = 10_000
"""Rows that are held, and written together."""


class ParquetFile(Output[Detection | Attribution]):
    """A row for each text, or for each text and profile.

    Args:
        file: to write to.
        several: whether texts are tested for the marks of several profiles.
        windows: whether windows are scanned.
        messages: whether marks carry messages.

    Raises:
        StelaError: pyarrow is not installed.
    """

    def __init__(self, file: BinaryIO, several: bool, windows: bool, messages: bool = False) -> None:
        require_pyarrow()
        self._file = file
        self._columns = Columns(several, windows, messages=messages)
        self._rows: list[Row] = []
        self._writer: Any = None

    def add(self, source: str, detection: Detection | Attribution) -> None:
        """Keep its rows, and write them when there are many."""
        if self._writer is None and not self._rows and isinstance(detection, Detection):
            self._columns = self._columns._replace(keyed=bool(detection.by_key))
        self._rows += self._columns.rows(source, detection)
        if len(self._rows) >= AT_ONCE:
            self._write()

    def end(self) -> None:
        """Write what is left, and what a reader needs to know of the file."""
        self._write()
        self._writer.close()

    def _write(self) -> None:
        import pyarrow
        from pyarrow import parquet

        typed = dict.fromkeys(STRINGS, pyarrow.string()) | dict.fromkeys(INTEGERS, pyarrow.int64())
        kinds = [typed.get(name, pyarrow.float64()) for name in self._columns.names]
        schema = pyarrow.schema(list(zip(self._columns.names, kinds, strict=True)))
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, schema, compression="zstd")
        values = zip(*self._rows, strict=True) if self._rows else [()] * len(kinds)
        arrays = [pyarrow.array(column, kind) for column, kind in zip(values, kinds, strict=True)]
        self._writer.write_table(pyarrow.table(arrays, schema=schema))
        self._rows.clear()


def require_pyarrow() -> None:
    """Check that Parquet can be written, before any text is tested.

    Raises:
        StelaError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingLibraryError("pyarrow", "stela detect --parquet", '"stela-cli[frame]"') from None
