"""What kind of text a stream without a name holds, told from its beginning. In doubt it is plain text."""

from __future__ import annotations

import csv
from itertools import islice

from stela_core.documents.csv_rows import delimiter_of
from stela_core.documents.dotted import NotThereError, at_path
from stela_core.documents.event_stream import FIELDS, is_event_stream
from stela_core.documents.json_values import value_of
from stela_core.documents.kinds import Kind, other_kind
from stela_core.documents.stream import MOST, Stream
from stela_core.errors import StelaError

HEAD = 1 << 16
FIRST_EVENT = 1 << 20
"""Bytes in which the first event of a stream ends: it may tell all that was asked."""

LINES = 20
"""Lines that are looked at for JSON objects."""

PAGES = ("<!doctype html", "<html>", "<html ", "<head>", "<body>", "<body ")


def sniff(stream: Stream, name: str, column: str) -> Kind:
    """The kind of the stream, of which nothing is consumed.

    JSON lines: one of the first lines is an object that has ``column``, or the first line is any object.
    JSON: the whole is an object, or an array of objects and strings. CSV: the first row names several
    columns, ``column`` among them, and the second has as many cells. HTML: it begins as a page does. Events:
    the first ``data:`` line is a JSON object.

    Raises:
        StelaError: it is no text and no document that can be read.
    """
    head = stream.head(HEAD)
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(b"PK\x03\x04") and b"word/document.xml" in stream.head(4 * MOST):
        return "docx"
    other = other_kind(head)
    if other is not None:
        raise StelaError(f"{name} is {other}, not text.", "give text, or a document that --format names")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"["):
        return _json(stream.head(MOST + 1), name, column)
    if start[:1] == b"<":
        return "html" if _is_page(start) else "text"
    if start.startswith(FIELDS) and is_event_stream(stream.head(FIRST_EVENT), name):
        return "sse"
    return "csv" if _is_csv(head, column) else "jsonl" if _has_record(head, name, column) else "text"


def _json(data: bytes, name: str, column: str) -> Kind:
    lines = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _object(lines.split(b"\n", 1)[0], name) is not None or _has_record(lines, name, column):
        return "jsonl"
    if len(data) > MOST:
        return "text"
    try:
        value = value_of(data, name, "")
    except StelaError:
        return "text"
    texts = isinstance(value, list) and value and all(isinstance(item, str | dict) for item in value)
    return "json" if texts or isinstance(value, dict) else "text"


def _has_record(data: bytes, name: str, column: str) -> bool:
    """Whether one of the first lines is an object with the field: others may be broken."""
    lines = data[:HEAD].split(b"\n", LINES)[:LINES]
    return any(_has(_object(line, name), column) for line in lines)


def _has(value: object, column: str) -> bool:
    try:
        at_path(value, column)
    except NotThereError:
        return False
    return True


def _object(line: bytes, name: str) -> dict[str, object] | None:
    if line.lstrip()[:1] != b"{":
        return None
    try:
        value = value_of(line, name, "")
    except StelaError:
        return None
    return value if isinstance(value, dict) else None


def _is_page(start: bytes) -> bool:
    text = start[:4096].decode("utf-8", "replace").lower()
    while text.startswith(("<!--", "<?xml")):
        _, end, text = text.partition("-->" if text.startswith("<!--") else "?>")
        text = text.lstrip() if end else ""
    return text.startswith(PAGES)


def _is_csv(head: bytes, column: str) -> bool:
    text = head.decode("utf-8-sig", "ignore")
    delimiter = delimiter_of(text.split("\n", 1)[0], column)
    if delimiter is None:
        return False
    try:
        rows = list(islice(csv.reader(text.splitlines(keepends=True), delimiter=delimiter), 3))
    except csv.Error:
        return True  # a cell longer than the csv module takes by default
    # The last row may be cut off by the end of the head.
    return len(rows) > 1 and (len(rows[0]) == len(rows[1]) or (len(rows) == 2 and len(text) >= HEAD // 4))
