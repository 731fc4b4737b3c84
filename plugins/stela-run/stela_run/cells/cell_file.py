"""The file of a cell: what was found, whose it is, and a digest that tells a changed or swapped file."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stela_core import StelaError
from stela_core.api import Limits, parse_json, read_bounded
from stela_run.bounded_files import gunzip_bounded
from stela_run.cells.results import plain

CELL, DIGEST = "cell", "digest"
AGAIN = "delete it; --resume makes it again"


class Bounds(NamedTuple):
    """What the file of a cell may hold at most."""

    size: int
    """Bytes, unpacked."""
    limits: Limits


def bounds_of(experiment: Mapping[str, Any]) -> Bounds:
    """Bounds for the cells of an experiment: several times what honest ones need.

    Args:
        experiment: with ``texts``, ``keys``, ``lengths``, ``attacks`` and ``metrics``.
    """
    texts, keys, lengths = int(experiment["texts"]), int(experiment["keys"]), experiment["lengths"]
    tests = texts * (1 + 2 * keys) * len(lengths)
    tokens = (texts + 1) * sum(map(int, lengths)) * 2
    values = tests + tokens + texts * len(lengths) * 64
    return Bounds((16 << 20) + 256 * values, Limits(1_000_000 + 32 * values, 32, 4 << 20))


def packed(cell: str, result: Mapping[str, Any]) -> bytes:
    """The bytes of a cell's file: gzipped JSON, the same for the same :func:`result <plain>`."""
    content = {CELL: cell, **result}
    return gzip.compress(_json({DIGEST: _digest(content), **content}), 6, mtime=0)


def read_cell(path: Path, bounds: Bounds) -> dict[str, Any]:
    """The content of a cell's file; whether it is the cell's own is :func:`checked`.

    Raises:
        StelaError: it cannot be read, is corrupt, or larger than a cell can be.
    """
    what = f'"{path}"'
    data = read_bounded(path, bounds.size, what, AGAIN)
    content = gunzip_bounded(data, bounds.size, what, AGAIN)
    value = parse_json(content, what, AGAIN, limits=bounds.limits, surrogates=True)
    if not isinstance(value, dict):
        raise StelaError(f"{what} is corrupt: it holds no object.", AGAIN)
    return value


def checked(cell: str, content: dict[str, Any], path: Path) -> dict[str, Any]:
    """The result in a file's content, if it is this cell's and unchanged.

    Raises:
        StelaError: it is another cell's, or was changed, or it was written by an older version.
    """
    content = dict(content)
    digest = content.pop(DIGEST, None)
    if digest is None or CELL not in content:
        raise StelaError(f'"{path}" has no id and digest: it was written by an older version.', AGAIN)
    if content[CELL] != cell:
        raise StelaError(f'"{path}" holds another cell, {content[CELL]!r:.120}.', AGAIN)
    try:
        same = digest == _digest(content)
    except ValueError:  # a number that JSON has not
        same = False
    if not same:
        raise StelaError(f'"{path}" was changed after it was written.', AGAIN)
    del content[CELL]
    return content


def texts_digest(result: Mapping[str, Any]) -> str:
    """Digest of the texts that a cell or a shard generated, whatever it was made with.

    A cell of version 0.2 may hold them itself.
    """
    names = ("delta", "parts") if "parts" in result else ("delta", "texts")
    return _digest({name: result.get(name) for name in names})


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(_json(content)).hexdigest()


def _json(content: Mapping[str, Any]) -> bytes:
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=plain)
    return data.encode("utf-8", "backslashreplace")
