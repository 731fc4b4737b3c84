"""Texts in one JSON value: an object, or an array of objects or strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stela_cli.documents.json_lines import JsonLines, tell, value_of
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import MOST, Stream, whole

from stela_core import StelaError
from stela_documents.chats import last_answer
from stela_documents.records import USUAL, Records


class AnswerLines(JsonLines):
    """JSON lines whose objects may be servers' answers, too."""

    name = "documents-jsonl"
    format = "jsonl"

    @classmethod
    def records(cls, name: str, column: str) -> Records:
        """What reads the objects of a file of this name."""
        return Records(name, column)


class Json(Reader):
    """One value a file."""

    name = "documents-json"
    format = "json"
    called = "JSON"
    suffixes = (".json",)

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """The whole is an object, or an array of objects and strings."""
        data = stream.head(MOST + 1)
        start = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
        if start[:1] not in (b"{", b"[") or len(data) > MOST or JsonLines.takes(stream, name, column):
            return False
        try:
            value = value_of(data, name, "")
        except StelaError:
            return False
        items = value[0] if isinstance(value, list) and len(value) == 1 else value
        items = items if isinstance(items, list) else value
        texts = isinstance(items, list) and items and all(isinstance(item, str | dict) for item in items)
        return bool(texts) or isinstance(value, dict)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
        """The texts of one object, or of each element of an array of objects or strings.

        Raises:
            StelaError: it is not JSON, or something else.
        """
        data = whole(stream, name).removeprefix(b"\xef\xbb\xbf")
        try:
            value = value_of(data, name, "see --format for other kinds of files")
        except StelaError:
            if b"\n" not in data.strip() or not AnswerLines.takes(stream, name, column):
                raise
            note(f"{name} is taken for JSON lines; --format names another kind")
            yield from AnswerLines.texts(stream, name, column, note)
            return
        records = Records(name, column, streamed=True)
        if isinstance(value, list) and not value:
            raise StelaError(f"{name} is an empty array.", "give a text to test")
        for where, item in _items(value, name, column):
            try:
                yield from [Text(where, item)] if isinstance(item, str) else records.texts(item, where)
            except StelaError as error:
                if not isinstance(value, list):
                    raise
                yield error
        yield from records.ended()
        tell(records, note)


def _items(value: Any, name: str, column: str) -> Iterator[tuple[str, Any]]:
    """An object or a conversation, or an array's elements; pipelines write arrays in it."""
    try:
        chat = column == USUAL and isinstance(value, list) and last_answer(value, name) is not None
    except StelaError:
        chat = True
    if not isinstance(value, list) or chat:
        yield name, value
        return
    for index, item in enumerate(value):
        where = f"{name}[{index}]"
        if (
            isinstance(item, list)
            and item
            and all(isinstance(one, dict) and "role" not in one for one in item)
        ):
            yield from ((f"{where}[{number}]", one) for number, one in enumerate(item))
        else:
            yield where, item
