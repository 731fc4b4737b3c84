"""Streamed answers put together again: events of OpenAI's protocols in, the text of each choice out."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

from stela_cli.documents.reader import Text
from stela_cli.documents.stream import CHARACTERS, TOO_LONG

from stela_core import StelaError
from stela_documents.left_out import LeftOut
from stela_documents.other_servers import Piece
from stela_documents.served import CHOICES, beside, kind_of_item, text_of_content

HELD = 4 * CHARACTERS
"""Characters of all answers that are not complete yet."""

ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")

REPEATED = 20
"""Characters of a piece that no answer has twice in a row: it is the whole text again."""

KINDS = {
    "response.refusal.": "refusals",
    "response.reasoning": "reasoning",
    "response.function_call_arguments.": "tool calls",
    "response.custom_tool_call_input.": "tool calls",
    "response.mcp_call": "tool calls",
    "response.audio.": "audio",
}
"""Beginnings of the types of events that hold what is not tested."""


class _Part:
    """One choice, or one message of a Responses object, as far as it came."""

    def __init__(self) -> None:
        self.text = io.StringIO()
        self.given = False
        """Whether any event held text of it, be it empty."""
        self.ended = False
        self.beside: set[str] = set()
        self._again: str | None = None
        self._sizes: list[int] = []

    def add_whole(self, text: str) -> int:
        """Add what is a piece, or all of the text so far: that is not told before the last one came.

        Returns:
            how many characters more are held.
        """
        if not self.given:
            self._again = ""
        held = self.text.tell()
        if self._again is not None and text.startswith(self._again):
            self._sizes.append(len(text))
            more, self._again = len(text) - len(self._again), text
            return more
        if self._again is not None:  # pieces after all
            if sum(self._sizes) > HELD:
                return HELD + 1
            self.text.writelines(self._again[:size] for size in self._sizes)
            self._again = None
        if len(text) != held or text != self.text.getvalue():  # a last event may repeat all
            self.text.write(text)
        return self.text.tell() - held

    def value(self) -> str:
        """All of the text."""
        if self._again is None:
            return self.text.getvalue()
        grows = len(set(self._sizes)) > 1 or len(self._again) > REPEATED
        return self._again if grows else self._again * len(self._sizes)


class _Answer(NamedTuple):
    where: str
    parts: dict[tuple[str, int], _Part]


class Streams:
    """Answers whose events come one after the other; those of several answers may be mixed.

    Args:
        left: is told what is not tested.
    """

    def __init__(self, left: LeftOut) -> None:
        self._left = left
        self._answers: dict[str, _Answer] = {}
        self._held = self._parts = self._responses = 0
        """Characters and choices held, and Responses so far, whose events do not name them."""

    def take(self, event: dict[str, Any], where: str) -> bool:
        """Keep what an event adds; ``False``: it is not an event of a known kind.

        Raises:
            StelaError: it says that the server failed, or there is more than may be held.
        """
        kind = event.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            self._take_response(kind, event, where)
            return True
        choices = event.get("choices")
        if not isinstance(choices, list):
            return False
        self._take_choices(event, choices, where)
        return True

    def take_pieces(self, pieces: list[Piece], where: str, name: str = "") -> bool:
        """Keep pieces of an answer of another server, which ``name`` tells from others.

        Returns:
            whether the answer is complete.

        Raises:
            StelaError: there is more than may be held, or a piece is not text.
        """
        for piece in pieces:
            part = self._part(name, "choices", piece.number, where)
            part.beside |= piece.beside
            part.ended = part.ended or piece.ended
            if piece.whole and isinstance(piece.text, str):
                self._hold(part.add_whole(piece.text), where)
                part.given = True
            else:
                self._add(part, piece.text, where)
        parts = self._answer(name[:200], where).parts.values()
        return bool(pieces) and all(part.ended for part in parts)

    def ended(self, whole: bool = False) -> Iterator[Text]:
        """The texts so far, which are then forgotten.

        Args:
            whole: the server said that all is done.
        """
        answers, self._answers = self._answers, {}
        self._held = self._parts = 0
        for answer in answers.values():
            for (kind, index), part in sorted(answer.parts.items()):
                source = f"{answer.where} {kind}[{index}]"
                self._left.add(part.beside)
                text = part.value()
                if not text and (part.beside or not part.given):
                    if kind == "choices":
                        self._left.without_text(source)
                    continue
                if not (whole or part.ended):
                    self._left.broken_off(source)
                yield Text(source, text)

    def _take_choices(self, event: dict[str, Any], choices: list[Any], where: str) -> None:
        for place, choice in enumerate(choices):
            if not isinstance(choice, dict):
                raise StelaError(f"{where} has a choice that is not a JSON object.", "get the stream again")
            part = self._part(event.get("id"), "choices", choice.get("index", place), where)
            part.ended = part.ended or choice.get("finish_reason") is not None
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                self._add(part, choice.get("text"), where)
                continue
            part.beside |= beside(delta)
            text, others = text_of_content(delta.get("content"), where)
            part.beside |= others
            self._add(part, text, where)

    def _take_response(self, kind: str, event: dict[str, Any], where: str) -> None:
        if kind == "response.created":
            self._responses += 1
        self._answer(self._response, where)
        if kind in ENDS:
            self._end_response(kind, event.get("response"), where)
            return
        index = event.get("output_index", 0)
        if kind in ("response.output_text.delta", "response.output_text.done"):
            part = self._part(self._response, "output", index, where)
            if kind.endswith("delta"):
                self._add(part, event.get("delta"), where)
            elif not part.given:  # a stream of which the pieces are missing
                self._add(part, event.get("text"), where)
            return
        item = event.get("item")
        if kind == "response.output_item.done" and isinstance(item, dict):
            part = self._part(self._response, "output", index, where)
            part.ended = True
            if item.get("type", "message") != "message":
                part.beside.add(kind_of_item(str(item["type"])))
            elif not part.given:
                text, others = text_of_content(item.get("content"), where)
                part.beside |= others
                self._add(part, text, where)
        held = next((called for start, called in KINDS.items() if kind.startswith(start)), None)
        if held is not None:
            self._part(self._response, "output", index, where).beside.add(held)

    def _end_response(self, kind: str, response: Any, where: str) -> None:
        """The last event holds all of the answer again: it counts where its pieces did not come."""
        for part in self._answers[self._response].parts.values():
            part.ended = part.ended or kind != "response.failed"
        output = response.get("output") if isinstance(response, dict) else None
        for index, item in enumerate(output if isinstance(output, list) else ()):
            event = {"output_index": index, "item": item}
            self._take_response("response.output_item.done", event, where)

    @property
    def _response(self) -> str:
        return f"response {self._responses}"

    def _answer(self, name: str, where: str) -> _Answer:
        return self._answers.setdefault(name, _Answer(where, {}))

    def _part(self, name: Any, kind: str, index: Any, where: str) -> _Part:
        answer = self._answer(name[:200] if isinstance(name, str) else "", where)
        if not isinstance(index, int) or not 0 <= index < CHOICES:
            raise StelaError(f"{where} has a choice whose index is not a number below {CHOICES:,}.", "cut it")
        if (kind, index) not in answer.parts:
            self._parts += 1
            if self._parts > CHOICES:
                raise StelaError(f"{where} is in a stream of more than {CHOICES:,} choices.", "cut it")
            answer.parts[kind, index] = _Part()
        return answer.parts[kind, index]

    def _add(self, part: _Part, text: Any, where: str) -> None:
        if text is None:
            return
        if not isinstance(text, str):
            raise StelaError(f"{where} has a text of type {type(text).__name__}.", "get the stream again")
        part.given = True
        self._hold(len(text), where)
        part.text.write(text)

    def _hold(self, characters: int, where: str) -> None:
        self._held += characters
        if self._held > HELD:
            raise StelaError(f"{where} is in a stream of more than {HELD:,} characters.", TOO_LONG)
