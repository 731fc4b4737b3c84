"""The user's folder of state: which profiles are one's own, and what plugins keep for this user."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import time_ns

from platformdirs import user_state_path

from stela_core.errors import StelaError
from stela_core.files.bounded import read_bounded
from stela_core.files.write import write_atomically

VARIABLE = "STELA_STATE"
"""Names another folder."""


def state_folder() -> Path:
    """The folder in which the program remembers things for this user."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_state_path("stela", appauthor=False)


def read_kept(name: str, limit: int) -> bytes | None:
    """The bytes of a file of the folder; ``None`` where there is none of at most ``limit`` bytes."""
    try:
        return read_bounded(state_folder() / name, limit, name, "")
    except StelaError:
        return None


def keep(kind: str, name: str, data: bytes, most: int) -> bool:
    """Write ``KIND-NAME`` into the folder, and take the oldest of its kind away beyond ``most``.

    Returns:
        whether it could be written. No work of the user's depends on it.
    """
    folder = state_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(folder / f"{kind}-{name}", data)
    except (OSError, StelaError):
        return False
    with suppress(OSError):  # another process may take it away already, as one of the oldest
        (folder / f"{kind}-{name}").chmod(0o600)
        # A file system's own clock gives files of one moment the same time.
        os.utime(folder / f"{kind}-{name}", ns=(time_ns(), time_ns()))
        for file in sorted(folder.glob(f"{kind}-*"), key=_age)[:-most]:
            file.unlink(missing_ok=True)
    return True


def drop(kind: str, name: str) -> bool:
    """Take ``KIND-NAME`` out of the folder; whether it is not there now."""
    try:
        (state_folder() / f"{kind}-{name}").unlink(missing_ok=True)
    except NotADirectoryError:
        pass
    except OSError:
        return False
    return True


def _age(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # taken away meanwhile
        return 0
