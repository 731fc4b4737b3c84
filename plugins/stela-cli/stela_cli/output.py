"""Where a command's output goes: a file that is written line by line, or an open stream."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from stela_core import StelaError
from stela_core.api import descriptor, require_free


def open_output(path: Path, force: bool) -> TextIO:
    """Open a file for records that are written one by one, so that what is done is kept when work stops.

    Raises:
        StelaError: as for :func:`stela_core.api.require_free`; with ``force`` the file that was there is
            emptied.
    """
    require_free(path, force)
    try:
        if (number := descriptor(path)) is not None:
            return os.fdopen(os.dup(number), "w", encoding="utf-8")
        if path.exists() and not path.is_file():  # a device or a pipe
            return path.open("w", encoding="utf-8")
        # "x" again refuses what was made since.
        return Path(os.path.realpath(path)).open("w" if force else "x", encoding="utf-8")
    except OSError as error:
        raise StelaError(f'cannot write "{path}": {error.strerror}.', "name another file") from None


def is_stdout(path: Path) -> bool:
    """Whether it stands for standard output: other words belong on standard error then."""
    return descriptor(path) == 1
