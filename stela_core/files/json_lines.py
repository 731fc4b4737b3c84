"""JSON lines: one value a line, read with bounds, and errors that name the line.

Only a line feed ends a line. ``str.splitlines``, and files opened as text, cut at other characters too, which
JSON leaves as they are within strings: U+2028, U+2029, U+0085 and others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from stela_core.files.bounded import parse_json, read_bounded
from stela_core.files.json_shape import Limits

BOM = b"\xef\xbb\xbf"
HINT = "one JSON object per line"


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1; a byte order mark at the beginning is left out.

    Blank lines are among them: who reads a stranger's stream counts them.
    """
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix(BOM) if number == 1 else line


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
        limits: of each line's value, as for :func:`~stela_core.files.bounded.parse_json`.
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
            raise StelaError(f"{where} is no JSON object.", hint)
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
