"""What the contexts of one length need of their suffixes, in a file for each part."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from stela_tables.learning.keys import PARTS, parts_of
from stela_tables.learning.records import Records


def dtype_of(level: int) -> np.dtype[np.void]:
    """A context of ``level`` units: its smoothed value, that of its longest end in the table, its units."""
    return np.dtype([("key", "<u8"), ("value", "<f8"), ("kept", "<i4"), ("path", "<u4", (level,))])


class Suffixes:
    """Contexts of one length by their own keys; a folder while they are needed."""

    def __init__(self, folder: Path, level: int) -> None:
        self._folder = folder
        self._dtype = dtype_of(level)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    def add(self, contexts: Records) -> None:
        """Take contexts in any order."""
        parts = parts_of(contexts["key"])
        order = np.argsort(parts, kind="stable")
        contexts, ends = contexts[order], np.cumsum(np.bincount(parts, minlength=PARTS)).tolist()
        start = 0
        for part, end in enumerate(ends):
            if end > start:
                with (self._folder / f"{part:03}").open("ab") as file:
                    file.write(contexts[start:end].tobytes())
            start = end

    def read(self, first: int, last: int) -> Records:
        """The contexts of the parts ``first:last``, in ascending order of their keys."""
        paths = [self._folder / f"{part:03}" for part in range(first, last)]
        pieces = [np.fromfile(path, dtype=self._dtype) for path in paths if path.is_file()]
        if not pieces:
            return np.empty(0, dtype=self._dtype)
        contexts: Records = np.concatenate(pieces)
        return contexts[np.argsort(contexts["key"])]

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder)
