"""What the runner reads of files with bounds: objects, one a line, and what gzip unpacks to."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stela_cli.documents.stream import HINT, numbered

from stela_core import StelaError
from stela_core.api import Limits, parse_json, read_bounded


def objects_in(
    lines: Iterable[bytes],
    name: str,
    hint: str = HINT,
    *,
    limits: Limits | None = None,
    surrogates: bool = False,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """``NAME:LINE`` and the object of each line; blank lines are left out.

    Args:
        lines: without their line feeds or with them.
        name: of the file, in errors.
        hint: what to do about a bad line.
        limits: of each line's value, as for :func:`~stela_core.api.parse_json`.
        surrogates: let lone surrogates through.

    Raises:
        StelaError: a line is not JSON, or beyond the limits, or holds no object.
    """
    for number, line in numbered(lines):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        value = parse_json(line, where, hint, limits=limits, surrogates=surrogates)
        if not isinstance(value, dict):
            raise StelaError(f"{where} is not a JSON object.", hint)
        yield where, value


def read_objects(
    path: str | Path, limit: int, hint: str = HINT, *, surrogates: bool = False
) -> list[dict[str, Any]]:
    """The objects of a file that is read whole.

    Args:
        path: the file, not compressed.
        limit: bytes; a larger file is refused.
        hint: what to do where it is missing, too large or bad.
        surrogates: let lone surrogates through.

    Raises:
        StelaError: it cannot be read, or a line holds no JSON object.
    """
    data = read_bounded(path, limit, f'"{path}"', hint)
    return [value for _, value in objects_in(data.split(b"\n"), f'"{path}"', hint, surrogates=surrogates)]


def gunzip_bounded(data: bytes, limit: int, what: str, hint: str) -> bytes:
    """What a gzip file unpacks to, at most ``limit`` bytes; its header is not believed.

    Raises:
        StelaError: it is not a gzip file of one member, corrupt, truncated, or unpacks to more.
    """
    unpacker = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    length = 0
    try:
        while not unpacker.eof:
            part = unpacker.decompress(data, 1 << 20)
            if not part and not unpacker.eof:
                raise StelaError(f"{what} is corrupt: it ends too early.", hint)
            parts.append(part)
            length += len(part)
            if length > limit:
                raise StelaError(f"{what} unpacks to more than {limit / (1 << 20):g} MiB.", hint)
            data = unpacker.unconsumed_tail
    except zlib.error as error:
        raise StelaError(f"{what} is corrupt: {error}.", hint) from None
    if unpacker.unused_data:
        raise StelaError(f"{what} is corrupt: bytes follow its end.", hint)
    return b"".join(parts)
