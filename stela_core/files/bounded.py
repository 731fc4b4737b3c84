"""Files of strangers: opened without waiting, read with a bound; JSON that is bounded before it is parsed."""

from __future__ import annotations

import errno
import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from stela_core.errors import StelaError
from stela_core.files.json_shape import Limits
from stela_core.files.write import descriptor

MEBIBYTE = 1 << 20

PIECE = MEBIBYTE
"""Bytes that are unpacked in one go."""


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


def read_bounded(path: str | Path, limit: int, what: str, hint: str) -> bytes:
    """All bytes of a file of at most ``limit`` bytes.

    Args:
        path: the file.
        limit: bytes; what is longer is refused without being read whole.
        what: names it in errors, such as ``table "t.json"``.
        hint: what to do where it is missing or too large.

    Raises:
        StelaError: it is missing, no regular file, cannot be read, or is longer than ``limit``.
    """
    path = Path(path)
    try:
        with open_to_read(path) as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise StelaError(f"{what} does not exist.", hint) from None
    except OSError as error:
        raise StelaError(f"{what} cannot be read: {error.strerror}.", hint) from None
    except ValueError as error:  # a NUL in the path
        raise StelaError(f"{what} cannot be read: {error}.", hint) from None
    if len(data) > limit:
        raise StelaError(f"{what} is larger than {limit / MEBIBYTE:g} MiB.", hint)
    return data


def parse_json(
    data: bytes | str,
    what: str,
    hint: str,
    *,
    limits: Limits | None = None,
    surrogates: bool = False,
    distinct: bool = False,
) -> Any:
    r"""The value of a JSON text that a stranger wrote.

    Bounded before it is parsed: how deep it is nested, how many values it holds, how long a string and
    how many digits a number may be. ``NaN`` and ``Infinity``, which are not JSON, and lone surrogates are
    refused.

    Args:
        data: the text, in UTF-8; a byte order mark is left out.
        what: names it in errors.
        hint: what to do.
        limits: by default a million values, 32 levels and strings of 4 MiB.
        surrogates: let lone surrogates through, written as ``\udc80``.
        distinct: hardly any of its strings stands there twice, so that none is looked up among others.

    Raises:
        StelaError: it is not JSON in UTF-8, or nested or large beyond what an honest file needs.
    """
    try:
        content = data.encode() if isinstance(data, str) else data
        content = content.removeprefix(b"\xef\xbb\xbf")
        too_much = (limits or Limits()).excess(content)
        if too_much is not None:
            raise StelaError(f"{what} is {too_much}.", hint)
        try:
            # It reads bytes as they are, where json.loads would first make up to four of each.
            return from_json(content, allow_inf_nan=False, cache_strings="none" if distinct else "all")
        except ValueError:
            if not (surrogates and b"\\ud" in content):
                raise
            return json.loads(content.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise StelaError(f"{what} is not JSON: {error}.", hint) from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")
