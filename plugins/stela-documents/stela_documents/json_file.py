"""Texts in one JSON value: an object, or an array of objects or strings."""

from __future__ import annotations

from collections.abc import Iterator

from stela_core import Reader, StelaError, Text
from stela_core.api import MOST, JsonLines, Note, Stream, tell, value_of, whole
from stela_documents.records import Records


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
        texts = isinstance(value, list) and value and all(isinstance(item, str | dict) for item in value)
        return bool(texts) or isinstance(value, dict)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
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
