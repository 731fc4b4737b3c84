"""Write a file at once or not at all, and never over another one unasked; a secret for its owner only."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stela_core.errors import StelaError

ANOTHER = "name another file"
TRIES = 1_000
"""Names tried besides one that was taken meanwhile."""


def write_atomically(path: Path, data: bytes, replace: bool = True) -> None:
    """Write through a temporary file in the same folder.

    A symlink remains one: the file it leads to is written. A device, a pipe or an open stream
    (``/dev/stdout``) is written to as it is. A file that is replaced keeps its mode.

    Args:
        path: of the file.
        data: all of it.
        replace: whether a file of this name may be replaced. Where it may not and there is one, nothing
            is lost: what was to be written lies next to it under another name, which the error tells.

    Raises:
        StelaError: the folder is missing or may not be written to, or the name is taken.
    """
    with opened_atomically(path, replace) as file:
        file.write(data)


@contextmanager
def opened_atomically(path: Path, replace: bool = True) -> Iterator[BinaryIO]:
    """A file to write piece by piece that is there at the end, whole, or not at all; else as above."""
    try:
        if is_stream(path):
            with _open_stream(path) as stream:
                yield stream
            return
        target = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    except OSError as error:
        raise _cannot(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, _mode_for(target))
        if replace:
            os.replace(name, target)
        else:
            _link_free(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot(path, error) from None
        raise


def require_free(path: Path, force: bool) -> None:
    """Find out before any work whether output may go there: it replaces nothing unasked.

    Args:
        path: where output is to go; a device, a pipe or an open stream is always free.
        force: the user asked for it to be replaced (``--force``).

    Raises:
        StelaError: there is a file of this name and ``force`` is not set, or it cannot be written at all:
            it is a folder, or its own folder is missing or may not be written to.
    """
    path = Path(path)
    try:
        if is_stream(path):
            return
        status = _stat(path)
    except OSError as error:
        raise _cannot(path, error) from None
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise StelaError(f'cannot write "{path}": it is a folder.', ANOTHER)
    if status is not None and not force:
        raise StelaError(f'"{path}" exists.', "name another file, or give --force to replace this one")
    if status is not None and not os.access(path, os.W_OK):
        raise StelaError(f'cannot write "{path}": it is write-protected.', ANOTHER)
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise StelaError(f'cannot write "{path}": there is no folder "{folder}".', ANOTHER)
    if not os.access(folder, os.W_OK):
        raise StelaError(f'cannot write "{path}": no permission to write in "{folder}".', ANOTHER)


def _link_free(name: str, target: Path) -> None:
    """Give a temporary file its name, unless that is taken; whatever was made is kept in some file."""
    try:
        link_new(name, target)
    except FileExistsError:
        for number in range(1, TRIES):
            numbered = target.with_name(f"{target.stem}-{number}{target.suffix}")
            try:
                link_new(name, numbered)
            except FileExistsError:
                continue
            raise StelaError(
                f'"{target}" was made by something else meanwhile.', f'what was made here is in "{numbered}"'
            ) from None
        raise


def link_new(name: str, target: Path) -> None:
    """Give a temporary file its name; ``FileExistsError`` where that is taken."""
    try:
        os.link(name, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.close(os.open(target, os.O_CREAT | os.O_EXCL))
        os.replace(name, target)
    else:
        os.unlink(name)


def is_stream(path: Path) -> bool:
    """Whether it is written to rather than replaced: a device, a pipe, a socket, an open stream."""
    status = _stat(path)
    if status is None:
        return False
    return descriptor(path) is not None or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def _open_stream(path: Path) -> BinaryIO:
    number = descriptor(path)
    # Opened by name, a stream that leads to a file would be emptied, and ">>" lose what stood there.
    return open(path, "wb") if number is None else os.fdopen(os.dup(number), "wb")


def descriptor(path: Path) -> int | None:
    """The number of the open file that ``/dev/stdout``, ``/dev/fd/3`` or a link to such stands for."""
    link = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        folder, name = os.path.realpath(os.path.dirname(link)), os.path.basename(link)
        if folder in (f"/proc/{os.getpid()}/fd", "/dev/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(link):
            return None
        link = os.path.join(folder, os.readlink(link))
    return None


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _mode_for(target: Path) -> int:
    """The mode of the file that is replaced; of a new one what the user's mask leaves."""
    status = _stat(target)
    if status is not None:
        return stat.S_IMODE(status.st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot(path: Path, error: OSError) -> StelaError:
    return StelaError(f'cannot write "{path}": {error.strerror}.', ANOTHER)


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
        if name is not None:
            Path(name).unlink(missing_ok=True)
