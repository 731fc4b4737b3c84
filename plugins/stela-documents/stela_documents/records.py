"""The texts of one JSON value after the other: a record's field, or the choices of a server's answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stela_cli.documents.dotted import NotThereError, at_path
from stela_cli.documents.json_lines import no_text
from stela_cli.documents.reader import Text

from stela_core import StelaError
from stela_documents.chats import last_answer, places_of_strings
from stela_documents.left_out import LeftOut
from stela_documents.other_servers import Piece, is_gemini, piece_of_event, pieces_of
from stela_documents.served import HINT, choices_of, is_answer
from stela_documents.served_stream import Streams

USUAL = "text"
"""The field where no other is named: an answer without it is told by its form."""

PIECES = "text-generation"
"""What Cohere calls an event whose text is a piece of an answer."""


class Records:
    """Texts of the values of one file.

    Args:
        name: of the file, in errors.
        column: field or dotted path that holds a text or a server's answer.
        streamed: pieces of one answer may follow each other, each of which says that it is the last.
    """

    def __init__(self, name: str, column: str, streamed: bool = False) -> None:
        self._name, self._column, self._streamed = name, column, streamed
        self._complete = False
        """Whether the answer that was read last came to its end."""
        self._left = LeftOut()
        self._streams = Streams(self._left)
        self._given = self._refused = 0
        self._answers = 0

    def texts(self, value: Any, where: str) -> Iterator[Text | StelaError]:
        """The texts of a value, or what is wrong with some of them.

        Raises:
            StelaError: it holds none.
        """
        if self._column == USUAL and _is_event(value):
            self._answers += 1
            self._streams.take(value, where)
            return
        chosen = self._found(value)
        pieces = None if isinstance(chosen, str) or is_answer(chosen) else pieces_of(chosen, where)
        if isinstance(chosen, str):
            self._given += 1
            yield Text(where, chosen)
        elif is_answer(chosen):
            yield from self._choices(chosen, where)
        elif pieces is not None:
            self._take_pieces(pieces, chosen, where)
            yield from self.completed()
        elif (answer := last_answer(chosen, where)) is not None:
            self._given += 1
            yield Text(f"{where} {answer.place}", answer.text)
        else:
            raise StelaError(*self._problem(value, where))

    def take_event(self, event: Any, where: str) -> None:
        """Keep what an event of a stream holds; a column that was named is put together from all of them.

        Raises:
            StelaError: it says that the server failed, or is not an object.
        """
        if not isinstance(event, dict):
            raise StelaError(f"{where} is not a JSON object.", "get the stream again")
        self._answers += 1
        if self._column != USUAL:
            try:
                piece = at_path(event, self._column)
            except NotThereError:
                return
            choice = {"text": piece, "finish_reason": None}
            self._streams.take({"choices": [choice]}, where)
        elif not self._streams.take(event, where):
            pieces = pieces_of(event, where)
            if pieces is not None:
                self._take_pieces(pieces, event, where)
                return
            if is_answer(event) or event.get("type") == "error":
                choices_of({"error": event} if event.get("type") == "error" else event, where)
            piece = piece_of_event(event)
            if piece is None:
                self._left.unknown()
            else:
                self._streams.take_pieces([piece], where)

    def completed(self) -> Iterator[Text]:
        """The text of the answer that was read last, if it came to its end."""
        if self._complete:
            yield from self.ended(whole=True)

    def _take_pieces(self, pieces: list[Piece], value: dict[str, Any], where: str) -> None:
        self._answers += 1
        name = value.get("responseId")
        ended = self._streams.take_pieces(pieces, where, name if isinstance(name, str) else "")
        self._complete = ended and not (self._streamed and is_gemini(value))

    def refused(self) -> None:
        """Something was reported that could not be read."""
        self._refused += 1

    def ended(self, whole: bool = False) -> Iterator[Text]:
        """The texts of streams so far."""
        self._complete = False
        for text in self._streams.ended(whole or self._column != USUAL):
            self._given += 1
            yield text

    def left_out(self) -> str | None:
        """What was not tested, once all values are read; ``None`` where that is nothing.

        Raises:
            StelaError: there were answers, and nothing to test in any.
        """
        said = self._left.said()
        if self._answers and not (self._given or self._refused):
            why = f" ({said})" if said else ""
            raise StelaError(f"{self._name} holds no text to test{why}.", HINT)
        return None if said is None else f"{self._name}: {said}"

    def _found(self, value: Any) -> Any:
        """What stands at the column; a value without it may be an answer itself."""
        if isinstance(value, list) and self._column == USUAL:
            return value
        try:
            chosen = at_path(value, self._column) if isinstance(value, dict) else None
        except NotThereError:
            return value if self._column == USUAL else None
        if self._column == USUAL and isinstance(chosen, str) and value.get("event_type") == PIECES:
            return value
        # A Responses object has a field of the usual name, which says the text's format.
        other = self._column == USUAL and not isinstance(chosen, str) and is_answer(value)
        return value if other else chosen

    def _choices(self, value: dict[str, Any], where: str) -> Iterator[Text | StelaError]:
        self._answers += 1
        try:
            where, choices = choices_of(value, where)
        except StelaError:
            self._refused += 1
            raise
        for choice in choices:
            if isinstance(choice, StelaError):
                self._refused += 1
                yield choice
                continue
            self._left.add(choice.beside)
            source = f"{where} {choice.place}"
            if choice.text is not None:
                self._given += 1
                yield Text(source, choice.text)
            elif choice.place:
                self._left.without_text(source)

    def _problem(self, value: Any, where: str) -> tuple[str, str]:
        """Message and hint for a value without a text."""
        message, hint = no_text(value, self._column, where)
        if is_answer(value) and message.endswith(f'has no "{self._column}".') and "." not in self._column:
            hint = hint.partition(", or name")[0]
            hint += ", or leave --column out: it is a server's answer, whose choices are then tested"
        elif places := places_of_strings(value):
            hint = f"{hint.partition(', or name')[0]}, or name a place with --column: {', '.join(places)}"
        return message, hint


def _is_event(value: Any) -> bool:
    """Whether a line of JSON lines is an event of a stream, as some clients write them down."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and kind.startswith("response."):
        return "sequence_number" in value
    return value.get("object") == "chat.completion.chunk" and isinstance(value.get("choices"), list)
