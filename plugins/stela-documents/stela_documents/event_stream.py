"""Server-sent events, as servers stream their answers: ``data: {...}`` lines to ``data: [DONE]``.

The format is that of the HTML standard (event streams); of its fields only ``data`` is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from stela_cli.documents.json_lines import BAD, BLANK, tell, value_of
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import MOST, Stream, bounded_lines, numbered

from stela_core import StelaError
from stela_documents.records import Records

FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How lines of an event stream begin."""

FIRST_EVENT = 1 << 20
"""Bytes in which the first event of a stream ends: it may tell all that was asked."""

DONE = b"[DONE]"
HINT = "get the stream again, or see --format"


class Events(Reader):
    """The text of each choice of each answer in the stream, named by the line where the answer begins."""

    name = "documents-sse"
    format = "sse"
    called = "a stream of events"
    suffixes = (".sse",)
    misnamed = ("json", "jsonl")

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """The first ``data:`` line is a JSON object."""
        start = stream.head(64).removeprefix(b"\xef\xbb\xbf").lstrip()
        return start.startswith(FIELDS) and is_event_stream(stream.head(FIRST_EVENT), name)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
        """The texts; ``column`` is the dotted path of the pieces in each event, where it is not OpenAI's.

        Raises:
            StelaError: it holds no text, or is bad throughout.
        """
        records = Records(name, column, streamed=True)
        bad = filled = 0
        for number, data in events(stream, name):
            where = f"{name}:{number}"
            filled += 1
            if data == DONE:
                yield from records.ended(whole=True)
                continue
            try:
                records.take_event(value_of(data, where, HINT), where)
                yield from records.completed()
            except StelaError as error:
                records.refused()
                yield error
                bad += 1
                if bad == BAD:
                    raise StelaError(f"{name} has {BAD:,} bad events; the rest is not read.", HINT) from None
        if not filled:
            raise StelaError(f"{name} holds no events.", "give a stream of data: lines")
        yield from records.ended()
        tell(records, note)


def events(stream: Stream, name: str) -> Iterator[tuple[int, bytes]]:
    """The data of each event, with the number of the line where it begins.

    Raises:
        StelaError: a line or an event is too long, or a line is not one of an event stream.
    """
    parts: list[bytes] = []
    start = size = blank = 0
    for number, line in numbered(bounded_lines(io.BufferedReader(stream), name)):
        line = line.rstrip(b"\r\n")
        if not line:
            if parts:
                yield start, b"\n".join(parts)
            parts, size, blank = [], 0, blank + 1
            if blank > BLANK * 10:
                raise StelaError(f"{name} has {BLANK * 10:,} empty lines.", "cut it")
        elif line.startswith(b"data:"):
            if (
                parts
                and parts[-1].endswith(b"}")
                and line.removeprefix(b"data:").lstrip()[:1] in (b"{", b"[")
            ):
                yield start, b"\n".join(parts)  # the empty line between two events was taken out
                parts, size = [], 0
            start = start if parts else number
            parts.append(line.removeprefix(b"data:").removeprefix(b" "))
            size += len(line)
            if size > MOST:
                raise StelaError(f"{name}:{start} is an event of more than 16 MiB.", "cut it")
        elif not line.startswith(FIELDS):
            raise StelaError(f"{name}:{number} is not a line of an event stream.", HINT)
    if parts:
        yield start, b"\n".join(parts)


def is_event_stream(head: bytes, name: str) -> bool:
    """Whether a file that begins so is a stream whose first event is a JSON object."""
    for line in head.removeprefix(b"\xef\xbb\xbf").lstrip().splitlines()[:20]:
        data = line.removeprefix(b"data:").strip()
        if line.startswith(b"data:"):
            if data == DONE:
                return True
            try:
                return isinstance(value_of(data, name, ""), dict)
            except StelaError:
                return False
        if line and not line.startswith(FIELDS):
            return False
    return False
