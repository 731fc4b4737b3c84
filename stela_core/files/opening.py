"""Open a file to read it, and wait for nobody: a pipe in a folder may never have a writer."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from stela_core.files.write import descriptor


def open_to_read(path: str | Path) -> BufferedReader:
    """A file's bytes; of an open stream (``/dev/stdin``, a shell's ``<(...)``) what comes out of it.

    Raises:
        OSError: as of ``open``; also where it is a named pipe or a socket.
        ValueError: a NUL is in the path.
    """
    if descriptor(Path(path)) is not None:
        return open(path, "rb")
    # Without waiting: opening a pipe blocks until somebody opens its other end.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is a named pipe", str(path))
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
