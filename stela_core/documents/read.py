"""Texts out of sources, one after the other; what cannot be read is handed on beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from stela_core.documents.apart import LARGEST, text_of_document
from stela_core.documents.csv_rows import csv_rows
from stela_core.documents.event_stream import event_stream, is_event_stream
from stela_core.documents.folders import Source
from stela_core.documents.json_values import json_file, json_lines
from stela_core.documents.kinds import CALLED, Kind, Text
from stela_core.documents.sniff import FIRST_EVENT, sniff
from stela_core.documents.stream import CHARACTERS, TOO_LONG, Stream, decoded, opened, whole
from stela_core.errors import StelaError
from stela_core.text.code_points import require_well_formed

STRUCTURED: dict[Kind, Callable[[Stream, str, str, Callable[[str], None]], Iterator[Text | StelaError]]] = {
    "jsonl": json_lines,
    "json": json_file,
    "sse": event_stream,
    "csv": csv_rows,
}
"""What reads texts that stand under names."""


def texts_of(
    sources: Iterable[Source | StelaError], column: str, note: Callable[[str], None]
) -> Iterator[Text | StelaError]:
    """Texts as they are read; in place of what cannot be read or tested, the error that says why.

    Args:
        sources: what to read.
        column: field of JSON objects and column of CSV files that holds the text; may be a dotted path.
        note: is told what a source without a name was taken for, what seems to be misnamed, and what of
            servers' answers is left out.
    """
    for source in sources:
        if isinstance(source, StelaError):
            yield source
            continue
        try:
            with opened(source.path) as stream:
                for item in _texts(stream, source, column, note):
                    yield _checked(item)
        except StelaError as error:
            yield error


def _texts(
    stream: Stream, source: Source, column: str, note: Callable[[str], None]
) -> Iterator[Text | StelaError]:
    name, kind = source.name, source.kind
    if kind is None:
        kind = sniff(stream, name, column)
        if source.path == "-" or kind != "text":
            note(f"{name} is taken for {CALLED[kind]}; --format names another kind")
    elif kind == "text" and not source.asked:
        seen = sniff(stream, name, column)
        if seen != "text":
            note(f"{name} looks like {CALLED[seen]} and is tested as plain text; --format {seen} reads it so")
    elif kind in ("json", "jsonl") and not source.asked and is_event_stream(stream.head(FIRST_EVENT), name):
        note(f"{name} is taken for {CALLED['sse']}; --format names another kind")
        kind = "sse"
    if kind in STRUCTURED:
        return STRUCTURED[kind](stream, name, column, note)
    if kind == "text":
        return iter([_plain(stream, source, name)])
    data = whole(stream, name, LARGEST[kind])
    if not data:
        raise StelaError(f"{name} is empty.", "give a document")
    return iter([Text(name, text_of_document(kind, data, name))])


def _plain(stream: Stream, source: Source, name: str) -> Text:
    data = whole(stream, name)
    if not data and source.path == "-":
        raise StelaError(f"{name} is empty.", "give a text to test")
    return Text(name, decoded(data, name))


def _checked(item: Text | StelaError) -> Text | StelaError:
    """What is too long, and half of a character, which JSON can hold, is no text that can be tested."""
    if isinstance(item, StelaError):
        return item
    if len(item.text) > CHARACTERS:
        return StelaError(f"{item.source} has more than {CHARACTERS:,} characters.", TOO_LONG)
    try:
        require_well_formed([item.text], item.source)
    except StelaError as error:
        return StelaError(error.message, "mend or leave out this text; the others are tested")
    return item
