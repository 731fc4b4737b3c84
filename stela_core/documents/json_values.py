"""Texts in JSON: one object a line, or one array or object in a file. All of it bounded."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from stela_core.documents.kinds import Text
from stela_core.documents.records import Records
from stela_core.documents.stream import Lines, Stream, bounded_lines, decoded, whole
from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, parse_json
from stela_core.files.json_lines import HINT, numbered
from stela_core.files.json_shape import Limits

LIMITS = Limits(elements=4_000_000, string=16 * MEBIBYTE)
"""Of what is parsed at once: records of ``stela generate`` hold two numbers a token."""

RATIO = 100
"""A compressed file may expand so many times (text does 3 to 20 times), and by ``ALLOWED`` bytes more."""

ALLOWED = 1 << 24

BLANK = 1_000_000
"""Empty lines after which the rest of a file is not read."""

BAD = 1_000
"""Bad lines after which the rest of a file is not read."""


def json_lines(
    stream: Stream, name: str, column: str, note: Callable[[str], None]
) -> Iterator[Text | StelaError]:
    """The texts of each line's object, or what is wrong with that line.

    Args:
        stream: the file.
        name: of it.
        column: field, or dotted path, that holds the text.
        note: is told what of servers' answers is left out.

    Raises:
        StelaError: the file is corrupt, empty, or bad throughout: the rest of it cannot be read.
    """
    records = Records(name, column)
    compressed = stream.head(2) == b"\x1f\x8b"
    lines: Lines = gzip.GzipFile(fileobj=stream) if compressed else io.BufferedReader(stream)
    bad = blank = size = filled = 0
    try:
        for number, line in numbered(bounded_lines(lines, name)):
            size += len(line)
            if compressed and size > ALLOWED + RATIO * stream.position:
                raise StelaError(
                    f"{name} expands more than {RATIO} times.", "gunzip it first, if you trust who sent it"
                )
            if not line.strip():
                blank += 1
                if blank > BLANK:
                    raise StelaError(f"{name} has {BLANK:,} empty lines.", "take them out")
                continue
            filled += 1
            where = f"{name}:{number}"
            try:
                yield from records.texts(value_of(line, where, HINT), where)
            except StelaError as error:
                yield error
                bad += 1
                if bad == BAD:
                    raise StelaError(
                        f"{name} has {BAD:,} bad lines; the rest is not read.", "is it JSON lines?"
                    ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise StelaError(f"{name} is corrupt or truncated (gzip).", "get the file again") from None
    if not filled:
        raise StelaError(f"{name} is empty.", HINT)
    yield from records.ended()
    tell(records, note)


def json_file(
    stream: Stream, name: str, column: str, note: Callable[[str], None]
) -> Iterator[Text | StelaError]:
    """The texts of one object, or of each element of an array of objects or strings.

    Raises:
        StelaError: it is not JSON, or something else.
    """
    data = whole(stream, name).removeprefix(b"\xef\xbb\xbf")
    value = value_of(data, name, "see --format for other kinds of files")
    records = Records(name, column)
    if not isinstance(value, list):
        yield from records.texts(value, name)
    elif not value:
        raise StelaError(f"{name} is an empty array.", "give a text to test")
    for index, item in enumerate(value if isinstance(value, list) else ()):
        where = f"{name}[{index}]"
        try:
            yield from [Text(where, item)] if isinstance(item, str) else records.texts(item, where)
        except StelaError as error:
            yield error
    yield from records.ended()
    tell(records, note)


def tell(records: Records, note: Callable[[str], None]) -> None:
    """Say what of a file was not tested.

    Raises:
        StelaError: it holds answers, and no text.
    """
    left = records.left_out()
    if left is not None:
        note(left)


def value_of(data: bytes, where: str, hint: str) -> Any:
    """One JSON value.

    Raises:
        StelaError: it is not JSON in UTF-8, or has more values than a file of texts does.
    """
    # A lone surrogate spoils the text that holds it, which is named later, and not the others.
    return parse_json(decoded(data, where), where, hint, limits=LIMITS, surrogates=True)
