"""Write a secret into a new file for its owner alone: whole, or not at all, and never over another one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.files.write import link_new


def write_secret(path: str | Path, data: bytes, what: str, lost: str) -> None:
    """Write a file of mode 600, through a temporary one in the same folder.

    Args:
        path: of the new file.
        data: all of it.
        what: names it in errors, such as ``key file``.
        lost: hint where there is something of this name: what would be lost.

    Raises:
        StelaError: there is something of this name, or it cannot be written, as on a full disk; nothing is
            left of it then.
    """
    target, name = Path(path), None
    try:
        if os.path.lexists(target):
            raise FileExistsError
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        link_new(name, target)
    except FileExistsError:
        raise StelaError(f'"{path}" exists.', lost) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or error
        raise StelaError(f'{what} "{path}" cannot be written: {why}.', "choose another") from None
    finally:
        if name is not None and os.path.lexists(name):
            os.unlink(name)
