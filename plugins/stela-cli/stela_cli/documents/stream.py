"""Open a file or standard input once, look at its beginning, and read it with bounds."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from stela_cli.documents.encodings import NotUtf8Error, Utf8
from stela_core import StelaError
from stela_core.api import open_to_read

MOST = 16 << 20
"""Bytes of a file that is read whole, and of one line."""

CHARACTERS = 4_000_000
"""Characters of one text: more than a novel has. Each takes up to 200 bytes of memory to test."""

TOO_LONG = "cut it"

HINT = "one JSON object per line"

STANDARD_INPUT = "standard input"

HEAD = 1 << 16
"""Bytes of a beginning that is looked at, to tell what it is."""

OTHERS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "compressed (gzip)"),
    (b"\xfd7zXZ\x00", "compressed (xz)"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)"),
    (b"BZh", "compressed (bzip2)"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
)
"""First bytes of what is not text."""


class Lines(Protocol):
    """A binary stream that is read by lines."""

    def readline(self, size: int = -1, /) -> bytes:
        """The next bytes up to a line feed, at most ``size``."""
        ...


class Stream(io.RawIOBase):
    """The bytes of a file, whose beginning may be looked at before they are read.

    What is UTF-16 or UTF-32, by its byte order mark, is given as UTF-8.
    """

    def __init__(self, raw: Any, name: str = "a file") -> None:
        self._raw = Utf8(raw, name)
        self._head = b""
        self._first = b""
        self.position = 0
        """Bytes given so far."""

    def head(self, size: int) -> bytes:
        """The next bytes, at most ``size`` of them, which are still to be read."""
        while len(self._head) < size and (more := self._raw.read(size - len(self._head))):
            self._head += more
        return self._head[:size]

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    @property
    def beginning(self) -> bytes:
        """The first bytes that were looked at or read, at most ``HEAD`` of them."""
        return (self._first + self._head)[:HEAD]

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer, as any raw stream does."""
        size = len(buffer)
        self._head = self._head or self._raw.read(size)
        given = self._head[:size]
        self._head = self._head[len(given) :]
        if self.position < HEAD:
            self._first += given
        buffer[: len(given)] = given
        self.position += len(given)
        return len(given)


@contextmanager
def opened(path: str) -> Iterator[Stream]:
    """The file, or standard input for ``-``.

    Raises:
        StelaError: it is missing or cannot be read.
    """
    if path == "-":
        if sys.stdin is None:  # as in "stela detect - <&-"
            raise StelaError("standard input is closed.", "pipe a text into it, or name a file")
        yield Stream(sys.stdin.buffer, STANDARD_INPUT)
        return
    try:
        with open_to_read(path) as raw:
            yield Stream(raw, path)
    except FileNotFoundError:
        raise StelaError(f'"{path}" does not exist.', "check the path") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StelaError(
            f'"{path}" cannot be read: {error.strerror or error}.', "give a file of text"
        ) from None


def whole(stream: Stream, name: str, limit: int = MOST) -> bytes:
    """All bytes.

    Raises:
        StelaError: there are more than ``limit``, or none.
    """
    data = stream.head(limit + 1)
    if len(data) > limit:
        raise StelaError(f"{name} is larger than {limit / (1 << 20):g} MiB.", TOO_LONG)
    return data


def bounded_line(lines: Lines, name: str, number: int) -> bytes:
    """The next line with its line feed, empty at the end.

    Raises:
        StelaError: it is longer than ``MOST``.
    """
    line = lines.readline(MOST + 1)
    if len(line) > MOST:
        raise StelaError(f"{name}:{number} is a line of more than 16 MiB.", TOO_LONG)
    return line


def bounded_lines(lines: Lines, name: str) -> Iterator[bytes]:
    """All lines with their line feeds.

    Raises:
        StelaError: one is longer than ``MOST``.
    """
    number = 1
    while line := bounded_line(lines, name, number):
        yield line
        number += 1


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1; a byte order mark at the beginning is left out.

    Blank lines are among them: who reads another's stream counts them. Only a line feed ends a line of
    JSON: ``str.splitlines``, and files opened as text, also cut at U+2028 and others within strings.
    """
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line


def decoded(data: bytes, name: str) -> str:
    """UTF-8 to text; a byte order mark is dropped.

    Raises:
        StelaError: it is not UTF-8, or holds NUL bytes, as no text does.
    """
    kind = other_kind(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = (
            f"byte {data[error.start]:#04x} at offset {error.start}" if kind is None else f"it is {kind}"
        )
        raise NotUtf8Error(f"{name} is not UTF-8: {problem}.", b"" if kind else data) from None
    if "\0" in text:
        raise NotUtf8Error(f"{name} is not text: {kind or 'it holds NUL bytes'}.", b"" if kind else data)
    return text


def other_kind(head: bytes) -> str | None:
    """What the first bytes say it is, where that is not text."""
    return next((called for magic, called in OTHERS if head.startswith(magic)), None)
