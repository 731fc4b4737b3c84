"""Files of candidate keys: JSON lines, one key a line."""

from __future__ import annotations

import io
import json
import secrets
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError
from stela_detection.search.candidates import LIKE, Candidate, require_few

from stela_cli.documents.stream import bounded_lines, numbered, opened
from stela_core import StelaError
from stela_core.api import Limits, exposure_of, parse_json, write_secret

LONGEST = 1 << 14
"""Bytes of a line."""

LIMITS = Limits(elements=1_000, depth=8, string=LONGEST)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def read_candidates(path: str | Path, note: Callable[[str], None] = _warn) -> list[Candidate]:
    """The candidate keys of a file of JSON lines; ``-`` is standard input.

    Args:
        path: of the file.
        note: is told where others than its owner may read it; by default a warning.

    Raises:
        StelaError: it cannot be read, has none or too many, or a line is not a key (file and line are named,
            never a key).
    """
    name = str(path)
    remark = None if name == "-" else exposure_of(name)
    if remark is not None:
        note(remark)
    with opened(name) as stream:
        candidates = list(_candidates_of(stream, name))
    if not candidates:
        raise StelaError(f"{name} holds no key.", LIKE)
    return candidates


def write_new_candidates(path: str | Path, count: int) -> None:
    """Draw keys of 64 bits into a new file of mode 600, called ``key-00001`` and so on.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    lines = (
        json.dumps({"key_id": f"key-{number:05}", "key": secrets.token_hex(8)})
        for number in range(1, count + 1)
    )
    lost = "give another -o: keys that are replaced are lost, and with them every mark made with them"
    write_secret(path, ("\n".join(lines) + "\n").encode(), "key file", lost)


def _candidates_of(stream: io.RawIOBase, name: str) -> Iterator[Candidate]:
    many = 0
    for number, line in numbered(bounded_lines(io.BufferedReader(stream), name)):
        where = f"{name}:{number}"
        if not line.strip():
            continue
        if len(line) > LONGEST:
            raise StelaError(f"{where} is a line of more than {LONGEST >> 10} KiB.", "shorten it")
        many += 1
        require_few(many, name)
        record = parse_json(line, where, LIKE, limits=LIMITS)
        if not isinstance(record, dict):
            raise StelaError(f"{where} is not an object.", LIKE)
        try:
            yield Candidate.model_validate(record)
        except ValidationError as error:
            # What was given is not repeated: it may be a key.
            wrong = error.errors(include_input=False)[0]
            place = f"{wrong['loc'][0]}: " if wrong["loc"] else ""
            raise StelaError(f"{where}: {place}{wrong['msg']}.", LIKE) from None
