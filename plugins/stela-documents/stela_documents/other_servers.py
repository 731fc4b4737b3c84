"""Answers of servers that do not speak OpenAI's protocols, whole or in pieces as they stream them.

Known are Anthropic's messages, Gemini, Cohere (v1 and v2), Ollama, llama.cpp, TGI, Triton, SGLang's own
``/generate``, and the lists of transformers' pipelines. Of other streams the field ``text`` is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stela_documents.served import beside, text_of_content

DEPTH = 5
"""Levels of an event of no known form that are searched for a piece."""

ENDS = {"message_stop", "message-end", "stream-end"}


class Piece(NamedTuple):
    """What a value adds to the text of one answer."""

    text: str | None
    ended: bool = False
    """The answer is complete."""
    number: int = 0
    """Number of the candidate, where an answer has several."""
    beside: frozenset[str] = frozenset()
    """What else it holds, as ``served.BESIDE`` calls it."""
    whole: bool = False
    """Whether it may be all of the text so far in place of a piece."""


def pieces_of(value: Any, where: str) -> list[Piece] | None:
    """What a value of a known form adds; ``None`` where its form is not known.

    Raises:
        StelaError: its content is of a wrong type.
    """
    if not isinstance(value, dict):
        return None
    for form in FORMS:
        pieces = form(value, where)
        if pieces is not None:
            return pieces
    return None


def is_gemini(value: Any) -> bool:
    """Whether a value is Gemini's: early models say of each piece that it is the last."""
    return isinstance(value, dict) and _gemini(value, "") is not None


def piece_of_event(event: dict[str, Any]) -> Piece | None:
    """What an event of no known form adds, by its field ``text``; ``None`` where there is none.

    SGLang sends pieces, or, by default, all of the text again with each event.
    """
    text = next(_texts_in(event, DEPTH), None)
    if text is None:
        return None
    index = event.get("index", 0)
    details = event.get("meta_info")
    ended = isinstance(details, dict) and details.get("finish_reason") is not None
    return Piece(text, ended, index if isinstance(index, int) else 0, whole=True)


def _texts_in(value: Any, depth: int) -> Iterator[str]:
    """Strings called ``text``, those at the top first."""
    if not isinstance(value, dict):
        return
    text = value.get("text")
    if isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, str):
        yield text
    for content in list(value.values())[:100] if depth else ():
        content = content[0] if isinstance(content, list) and len(content) == 1 else content
        yield from _texts_in(content, depth - 1)


def _anthropic(value: dict[str, Any], where: str) -> list[Piece] | None:
    result = value.get("result")  # of a batch
    if isinstance(result, dict) and isinstance(result.get("message"), dict):
        value = result["message"]
    kind = value.get("type")
    if kind == "message" and value.get("role") == "assistant":
        text, others = text_of_content(value.get("content"), where)
        return [Piece(text, True, beside=frozenset(others))]
    if kind == "completion" and isinstance(value.get("completion"), str):
        return [Piece(value["completion"], value.get("stop_reason") is not None)]
    delta = value.get("delta")
    if kind == "content_block_delta" and isinstance(delta, dict):
        if isinstance(delta.get("text"), str):
            return [Piece(delta["text"])]
        held = "reasoning" if "thinking" in delta else "tool calls" if "partial_json" in delta else None
        return [Piece(None, beside=frozenset({held} - {None}))] if held else []
    if kind in ("message_start", "content_block_start", "content_block_stop", "message_delta", "ping"):
        return []
    return [Piece(None, True)] if kind == "message_stop" else None


def _gemini(value: dict[str, Any], where: str) -> list[Piece] | None:
    answer = value.get("response")
    value = answer if isinstance(answer, dict) and "candidates" in answer else value
    candidates = value.get("candidates", [] if "usageMetadata" in value else None)
    if not isinstance(candidates, list) or not all(isinstance(one, dict) for one in candidates):
        return None
    pieces = []
    for place, candidate in enumerate(candidates):
        index = candidate.get("index", place)
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        texts, others = parts_of(parts)
        ended = candidate.get("finishReason", candidate.get("finish_reason")) is not None
        pieces.append(Piece(texts, ended, index if isinstance(index, int) else place, others))
    return pieces


def parts_of(parts: Any) -> tuple[str | None, frozenset[str]]:
    """The text of Gemini's ``parts``, and what else is in them; a part may think."""
    texts: list[str] = []
    others: set[str] = set()
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, dict):
            continue
        elif part.get("thought") is True:
            others.add("reasoning")
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            others.add("tool calls" if "functionCall" in part else "other parts")
    return ("".join(texts) if texts else None), frozenset(others)


def _cohere(value: dict[str, Any], where: str) -> list[Piece] | None:
    kind = value.get("event_type", value.get("type"))
    if not isinstance(kind, str):
        return _cohere_whole(value, where)
    if kind == "text-generation":
        return [Piece(value.get("text"))]
    if kind in ENDS:
        return [Piece(None, True)]
    if kind == "content-delta":
        delta = value.get("delta")
        message = delta.get("message") if isinstance(delta, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, dict):
            return []
        thinks = frozenset({"reasoning"} if content.get("thinking") else ())
        return [Piece(content.get("text"), beside=thinks)]
    starts = ("stream-", "search-", "citation", "tool-", "message-start", "content-")
    return [] if kind.startswith(starts) else _cohere_whole(value, where)


def _cohere_whole(value: dict[str, Any], where: str) -> list[Piece] | None:
    message = value.get("message")
    if "finish_reason" not in value or not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    text, others = text_of_content(message.get("content"), where)
    return [Piece(text, True, beside=frozenset(beside(message) | others))]


def _ollama(value: dict[str, Any], where: str) -> list[Piece] | None:
    done, message = value.get("done"), value.get("message")
    if not isinstance(done, bool):
        return None
    if isinstance(value.get("response"), str):
        return [Piece(value["response"], done, beside=frozenset(beside(value)))]
    if not isinstance(message, dict):
        return None
    text, others = text_of_content(message.get("content"), where)
    return [Piece(text, done, beside=frozenset(beside(message) | others))]


def _llamacpp(value: dict[str, Any], where: str) -> list[Piece] | None:
    if not isinstance(value.get("stop"), bool) or not isinstance(value.get("content"), str):
        return None
    return [Piece(value["content"], value["stop"])]


def _tgi(value: dict[str, Any], where: str) -> list[Piece] | None:
    token, whole = value.get("token"), value.get("generated_text")
    if isinstance(token, dict) and isinstance(token.get("text"), str):
        return [Piece("" if token.get("special") else token["text"], whole is not None)]
    return [Piece(whole, True)] if isinstance(whole, str) else None


def _triton(value: dict[str, Any], where: str) -> list[Piece] | None:
    return [Piece(value["text_output"])] if isinstance(value.get("text_output"), str) else None


FORMS: tuple[Callable[[dict[str, Any], str], list[Piece] | None], ...] = (
    _anthropic,
    _gemini,
    _cohere,
    _ollama,
    _llamacpp,
    _tgi,
    _triton,
)
