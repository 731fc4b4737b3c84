"""Texts in JSON lines, one object a line; all of it bounded."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from stela_cli.documents.dotted import NotThereError, at_path
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import HEAD, HINT, MOST, Lines, Stream, bounded_lines, decoded, numbered
from stela_core import StelaError
from stela_core.api import Limits, parse_json

LIMITS = Limits(elements=4_000_000, string=16 << 20)
"""Limits of what is parsed at once: records of ``stela generate`` hold two numbers a token."""

RATIO = 100
"""Times that a compressed file may expand (text does 3 to 20 times), and by ``ALLOWED`` bytes more."""

ALLOWED = 1 << 24

BLANK = 1_000_000
"""Empty lines after which the rest of a file is not read."""

BAD = 1_000
"""Bad lines after which the rest of a file is not read."""

FIRST = 20
"""Lines of a beginning that are looked at."""


class Records(Protocol):
    """The texts of JSON values, one value of a file after the other."""

    def texts(self, value: Any, where: str) -> Iterable[Text | StelaError]:
        """Texts of one value, or what is wrong with them.

        Raises:
            StelaError: it holds none.
        """
        ...

    def ended(self) -> Iterable[Text]:
        """Texts whose parts stood in several values, once all are read."""
        ...

    def left_out(self) -> str | None:
        """What was not tested, once all values are read; ``None`` where that is nothing.

        Raises:
            StelaError: that is everything.
        """
        ...


class Fields:
    """The text of an object is that of one field.

    Args:
        column: the field, or a dotted path.
    """

    def __init__(self, column: str) -> None:
        self._column = column

    def texts(self, value: Any, where: str) -> Iterator[Text]:
        """The text of one object.

        Raises:
            StelaError: it has none.
        """
        text = value if isinstance(value, dict) else None
        if text is not None:
            try:
                text = at_path(value, self._column)
            except NotThereError:
                text = None
        if not isinstance(text, str):
            raise StelaError(*no_text(value, self._column, where))
        yield Text(where, text)

    def ended(self) -> tuple[Text, ...]:
        """None: an object's text is whole."""
        return ()

    def left_out(self) -> None:
        """Nothing."""


def no_text(value: Any, column: str, where: str) -> tuple[str, str]:
    """Message and hint for a value without a text."""
    hint = f'give an object with a string "{column}"'
    if not isinstance(value, dict):
        return f"{where} is not a JSON object.", hint
    try:
        chosen = at_path(value, column)
    except NotThereError as error:
        if "." in column:
            return f'{where} has no "{column}".', f"{hint}; {error}"
        strings = [str(key)[:40] for key, content in value.items() if isinstance(content, str)][:8]
        others = f", or name another field with --column: {', '.join(strings)}" if strings else ""
        return f'{where} has no "{column}".', hint + others
    kind = "null" if chosen is None else f"of type {type(chosen).__name__}"
    return f'{where} has a "{column}" that is {kind}, not a string.', hint


class JsonLines(Reader):
    """An object a line."""

    name = "cli-jsonl"
    format = "jsonl"
    called = "JSON lines"
    suffixes = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
    rank = 1

    @classmethod
    def records(cls, name: str, column: str) -> Records:
        """What reads the objects of a file of this name."""
        return Fields(column)

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """One of the first lines is an object that has ``column``, or the first line is any object."""
        head = stream.head(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        if head[:1] == b"{":  # the first line may be long
            head = stream.head(MOST + 1).removeprefix(b"\xef\xbb\xbf").lstrip()
        return object_of(head.split(b"\n", 1)[0], name) is not None or has_record(head, name, column)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
        """The texts of each line's object, or what is wrong with that line.

        Raises:
            StelaError: the file is corrupt, empty, or bad throughout: the rest of it cannot be read.
        """
        records = cls.records(name, column)
        compressed = stream.head(2) == b"\x1f\x8b"
        lines: Lines = gzip.GzipFile(fileobj=stream) if compressed else io.BufferedReader(stream)
        bad = blank = size = filled = 0
        try:
            for number, line in numbered(bounded_lines(lines, name)):
                size += len(line)
                if compressed and size > ALLOWED + RATIO * stream.position:
                    raise StelaError(
                        f"{name} expands more than {RATIO} times.",
                        "gunzip it first, if you trust who sent it",
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


def has_record(data: bytes, name: str, column: str) -> bool:
    """Whether one of the first lines is an object with the field: others may be broken."""
    lines = data[:HEAD].split(b"\n", FIRST)[:FIRST]
    return any(_has(object_of(line, name), column) for line in lines)


def _has(value: object, column: str) -> bool:
    try:
        at_path(value, column)
    except NotThereError:
        return False
    return True


def object_of(line: bytes, name: str) -> dict[str, object] | None:
    """The JSON object that a line is, or ``None``."""
    if line.lstrip()[:1] != b"{":
        return None
    try:
        value = value_of(line, name, "")
    except StelaError:
        return None
    return value if isinstance(value, dict) else None


def tell(records: Records, note: Note) -> None:
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
