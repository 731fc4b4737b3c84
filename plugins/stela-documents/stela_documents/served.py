"""Answers of servers that speak OpenAI's protocols: the texts of their choices, and what comes with them.

Read are chat completions, completions, Responses, and lines of batch output that hold one of them. The fields
are those of OpenAI's published types, and ``reasoning``, which vLLM and others add.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stela_core import StelaError

CHOICES = 10_000
"""Choices of one answer: more than any server writes."""

SHOWN = 80
"""Characters of a ``custom_id``, 200 of a server's message, that are shown."""

BESIDE = {
    "tool_calls": "tool calls",
    "function_call": "tool calls",
    "refusal": "refusals",
    "reasoning": "reasoning",
    "reasoning_content": "reasoning",
    "reasoning_details": "reasoning",
    "thinking": "reasoning",
    "audio": "audio",
}
"""Fields of a message, or of a part of one, that are not its text."""

OBJECTS = ("chat.completion", "chat.completion.chunk", "text_completion")
"""What answers with choices call themselves."""

TEXT_PARTS = ("text", "output_text")

HINT = "give an answer of OpenAI's form, or name the text with --column"


class Choice(NamedTuple):
    """One choice of an answer, or one message of a Responses object."""

    place: str
    """``choices[0]`` or ``output[1]``."""
    text: str | None
    """``None`` where it has none."""
    beside: frozenset[str]
    """What else it holds, as ``BESIDE`` calls it."""


def is_answer(value: Any) -> bool:
    """Whether a JSON value has the form of a server's answer, or of a line of batch output, error or not."""
    if not isinstance(value, dict):
        return False
    answer = _has_choices(value) or _is_response(value) or _is_error(value)
    return answer or _is_line_of_batch(value)


def choices_of(value: dict[str, Any], where: str) -> tuple[str, Iterator[Choice | StelaError]]:
    """Name of the answer's place, with a line's ``custom_id``, and its choices or what is wrong with them.

    Raises:
        StelaError: it is an error of the server, a request, or something else than an answer.
    """
    if "custom_id" in value and not isinstance(value.get("choices"), list):
        where += f" ({str(value['custom_id'])[:SHOWN]})"
        value = _body(value, where)
    if _is_error(value) and not value.get("choices"):
        raise StelaError(f"{where} is an error of the server: {message_of(value)}.", "ask the server again")
    entries = value["output"] if _is_response(value) else value.get("choices")
    if not isinstance(entries, list):
        raise StelaError(f"{where} is not an answer of OpenAI's form.", HINT)
    if not entries:
        raise StelaError(f"{where} has no choices.", HINT)
    if len(entries) > CHOICES:
        raise StelaError(f"{where} has more than {CHOICES:,} choices.", "cut it")
    return where, (_messages if _is_response(value) else _choices)(entries, where)


def message_of(value: dict[str, Any]) -> str:
    """What an error of a server says."""
    error = value.get("error")
    if error is None and "message" not in value:
        error = value.get("response")
    said = error if error is not None else value.get("message")
    while isinstance(said, dict):
        said = said.get("message") or said.get("error") or said.get("code") or "it does not say what"
    return str(said)[:200].rstrip(". ") or "it does not say what"


def beside(message: dict[str, Any]) -> set[str]:
    """What a message, a part of one or a stream's delta holds besides its text."""
    return {kind for name, kind in BESIDE.items() if message.get(name)}


def text_of_content(content: Any, where: str) -> tuple[str | None, set[str]]:
    """The text of a message's ``content``, and what else is in it.

    Args:
        content: a string, ``None``, or a list of parts of which those of text are joined.
        where: it stands, in errors.

    Raises:
        StelaError: it is something else.
    """
    if content is None or isinstance(content, str):
        return content, set()
    if not isinstance(content, list):
        raise StelaError(f"{where} has a content of type {type(content).__name__}, not a string.", HINT)
    texts, others = [], set()
    for part in content:
        if not isinstance(part, dict):
            raise StelaError(f"{where} has a part that is not a JSON object.", HINT)
        if part.get("type") in TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            others |= beside(part) or {"other parts"}
    return ("".join(texts) if texts else None), others


def _is_line_of_batch(value: dict[str, Any]) -> bool:
    objects = [value[name] for name in ("response", "error", "body") if name in value]
    return "custom_id" in value and bool(objects) and all(isinstance(one, dict) for one in objects if one)


def _has_choices(value: dict[str, Any]) -> bool:
    """Lists of choices are also in questions of exams: those of a server say what they are."""
    choices = value.get("choices")
    if not isinstance(choices, list):
        return False
    if value.get("object") in OBJECTS:
        return True
    return bool(choices) and all(
        isinstance(one, dict) and (isinstance(one.get("message"), dict) or "finish_reason" in one)
        for one in choices
    )


def _is_response(value: dict[str, Any]) -> bool:
    output = value.get("output")
    if not isinstance(output, list):
        return False
    typed = bool(output) and all(isinstance(item, dict) and "type" in item for item in output)
    return value.get("object") == "response" or typed


def _is_error(value: dict[str, Any]) -> bool:
    error = value.get("error")
    named = isinstance(error, dict) and ("message" in error or "code" in error)
    return named or (value.get("object") == "error" and "message" in value)


def _body(line: dict[str, Any], where: str) -> dict[str, Any]:
    """The answer in a line of batch output."""
    response = line.get("response")
    if "response" not in line and "body" in line:
        raise StelaError(f"{where} is a request of a batch, not its answer.", "give the batch's output file")
    body = response.get("body") if isinstance(response, dict) else None
    status = response.get("status_code") if isinstance(response, dict) else None
    failed = line.get("error") is not None or (isinstance(status, int) and status >= 400)
    if failed or not isinstance(body, dict):
        said = message_of(line if line.get("error") is not None else {"error": body})
        said = "there is no body" if said == "None" else said
        raise StelaError(f"{where} was not answered: {said}.", "ask the server again; the others are tested")
    return body


def _choices(entries: list[Any], where: str) -> Iterator[Choice | StelaError]:
    for number, entry in enumerate(entries):
        place = f"choices[{number}]"
        message = entry.get("message") if isinstance(entry, dict) else None
        try:
            if isinstance(message, dict):
                text, others = text_of_content(message.get("content"), f"{where} {place}")
                yield _choice(place, text, beside(message) | others)
            elif isinstance(entry, dict) and isinstance(entry.get("text"), str):
                yield _choice(place, entry["text"], beside(entry))
            else:
                yield StelaError(f"{where} {place} has neither a message nor a text.", HINT)
        except StelaError as error:
            yield error


def _messages(entries: list[Any], where: str) -> Iterator[Choice | StelaError]:
    for number, item in enumerate(entries):
        place = f"output[{number}]"
        if not isinstance(item, dict):
            yield StelaError(f"{where} {place} is not a JSON object.", HINT)
            continue
        kind = str(item.get("type", "message"))
        if kind != "message":
            yield Choice("", None, frozenset({kind_of_item(kind)}))
            continue
        try:
            text, others = text_of_content(item.get("content"), f"{where} {place}")
            yield _choice(place, text, others)
        except StelaError as error:
            yield error


def kind_of_item(kind: str) -> str:
    """What an item of a Responses object's output is called that is not a message."""
    return "reasoning" if kind == "reasoning" else "tool calls" if kind.endswith("_call") else "other items"


def _choice(place: str, text: str | None, others: set[str]) -> Choice:
    """An empty content with a tool call or reasoning is not a text."""
    if text is None and not others:
        others = {"null content"}
    return Choice(place, None if not text and others else text, frozenset(others))
