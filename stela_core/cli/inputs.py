"""Read texts and prompts from files, with errors that name the file and the line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from stela_core.errors import StelaError


class Text(NamedTuple):
    """A text and where it came from, ``FILE`` or ``FILE:LINE``."""

    source: str
    text: str


def read_texts(files: Iterable[str]) -> list[Text]:
    """One text per file, one per line of a ``.jsonl``; ``-`` is standard input.

    All are read before any is tested, so that a mistake in the last costs no work.

    Raises:
        StelaError: a file is missing, empty or not UTF-8; a line is no object with a ``text``.
    """
    found: list[Text] = []
    for file in files:
        if file.endswith(".jsonl"):
            found += [Text(f"{file}:{n}", text) for n, text in read_jsonl(file, ("text",))]
        else:
            name = "standard input" if file == "-" else file
            text = decode(read_bytes(file), name)
            if not text:
                raise StelaError(f"{name} is empty.", "give a text to test")
            found.append(Text(name, text))
    return found


def read_jsonl(file: str, fields: tuple[str, ...]) -> list[tuple[int, str]]:
    """(line number, value) of the first of ``fields`` that each line's object has.

    Raises:
        StelaError: naming file and line.
    """
    found = []
    # Not splitlines(): JSON strings may hold U+2028 and other characters that it takes for line ends.
    for number, line in enumerate(decode(read_bytes(file), file).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise StelaError(f"{where} is not JSON: {error.msg}.", "one JSON object per line") from None
        values = [record[f] for f in fields if f in record] if isinstance(record, dict) else []
        wanted = " or ".join(f'"{field}"' for field in fields)
        if not values or not isinstance(values[0], str):
            raise StelaError(f"{where} has no {wanted}.", f"each line is an object with a string {wanted}")
        if not values[0]:
            raise StelaError(f"{where} has an empty {wanted}.", "take the line out")
        found.append((number, values[0]))
    if not found:
        raise StelaError(f"{file} is empty.", "one JSON object per line")
    return found


def read_bytes(file: str) -> bytes:
    """All bytes of a file, or of standard input for ``-``."""
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise StelaError(f'"{file}" does not exist.', "check the path") from None
    except OSError as error:
        raise StelaError(f'"{file}" cannot be read: {error.strerror}.', "give a text file") from None


def decode(data: bytes, name: str) -> str:
    """UTF-8 to text; a byte order mark is dropped."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StelaError(
            f"{name} is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}.",
            "convert it, for example with iconv -t UTF-8",
        ) from None
