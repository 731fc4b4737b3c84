"""A file that is one text."""

from __future__ import annotations

from collections.abc import Iterator

from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import HEAD, STANDARD_INPUT, Stream, decoded, other_kind, whole
from stela_core import StelaError


class PlainText(Reader):
    """What nothing else takes."""

    name = "cli-text"
    format = "text"
    called = "plain text"
    suffixes = (".txt", ".md", ".markdown", ".text", ".log")
    rank = 2

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """Whether it is text, which is assumed in doubt.

        Raises:
            StelaError: its first bytes are those of what is not text.
        """
        other = other_kind(stream.head(HEAD))
        if other is not None:
            raise StelaError(f"{name} is {other}, not text.", "give text, or a document that --format names")
        return True

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text]:
        """The text.

        Raises:
            StelaError: it is too long, no UTF-8, or standard input is empty.
        """
        data = whole(stream, name)
        if not data and name == STANDARD_INPUT:
            raise StelaError(f"{name} is empty.", "give a text to test")
        yield Text(name, decoded(data, name))
