"""Write a file at once or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from stela_core.errors import StelaError


def write_atomically(path: Path, data: bytes) -> None:
    """Write through a temporary file in the same folder.

    Raises:
        StelaError: the folder is missing or may not be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise StelaError(f'cannot write "{path}": {error.strerror}.', "choose another -o") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError):
            raise StelaError(f'cannot write "{path}": {error.strerror}.', "choose another -o") from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
