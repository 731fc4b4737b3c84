"""Conversations that programs save: the last answer of the model in each.

Known are messages of OpenAI's form, ShareGPT, the exports of ChatGPT and Claude, and Gemini's contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stela_core import StelaError
from stela_documents.other_servers import parts_of
from stela_documents.served import text_of_content

LISTS = (
    "messages",
    "conversations",
    "conversation",
    "chat_messages",
    "contents",
    "history",
    "generated_text",
)
"""Fields that hold the messages of a conversation."""

ROLES = ("role", "from", "sender", "author")
MODELS = {"assistant", "gpt", "chatgpt", "model", "bot", "bard", "bing", "ai", "chatbot", "claude", "gemini"}
"""What the model is called, in lower case."""

LOOKED_AT = 100
"""Strings of a value without a text that may be suggested."""


class Answer(NamedTuple):
    """The last message of the model."""

    place: str
    text: str


def last_answer(value: Any, where: str) -> Answer | None:
    """The last answer in a conversation; ``None`` where the value is not one.

    Raises:
        StelaError: it holds no answer, or one that is not text.
    """
    messages = _messages_in(value)
    if messages is None:
        return None
    for place, message in reversed(messages):
        if str(_role(message)).lower() in MODELS:
            text = _text(message, f"{where} {place}")
            if text:
                return Answer(place, text)
    places = places_of_strings(value) if isinstance(value, dict) else ["content"]
    raise StelaError(
        f"{where} is a conversation without an answer of the model.",
        f"name the place of the text with --column: {', '.join(places)}",
    )


def places_of_strings(value: Any) -> list[str]:
    """Dotted paths of the longest strings in a value."""
    strings: list[tuple[int, str]] = []
    ahead: list[tuple[str, Any]] = [("", value)]
    while ahead and len(strings) < LOOKED_AT:
        place, one = ahead.pop()
        if isinstance(one, str) and place:
            strings.append((len(one), place))
        inner = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        ahead += [(f"{place}.{name}".lstrip("."), held) for name, held in list(inner)[:LOOKED_AT]]
    return [place for _, place in sorted(strings, reverse=True)[:3] if len(place) < 100]


def _messages_in(value: Any) -> list[tuple[str, dict[str, Any]]] | None:
    if isinstance(value, list):
        return _listed(value, "")
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("mapping"), dict):
        return list(_in_tree(value)) or None
    for name in LISTS:
        if isinstance(value.get(name), list) and (messages := _listed(value[name], name)):
            return messages
    return None


def _listed(messages: list[Any], name: str) -> list[tuple[str, dict[str, Any]]] | None:
    """The messages of a list, if they are such."""
    if not messages or not all(isinstance(one, dict) and _role(one) is not None for one in messages):
        return None
    return [(f"{name}[{number}]", one) for number, one in enumerate(messages)]


def _role(message: dict[str, Any]) -> str | None:
    for name in ROLES:
        role = message.get(name)
        role = role.get("role") if isinstance(role, dict) else role
        if isinstance(role, str):
            return role
    return None


def _in_tree(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """ChatGPT's export: from the first message to the one that is shown last."""
    nodes = value["mapping"]
    current = value.get("current_node")
    names = list(nodes)
    if isinstance(current, str) and current in nodes:
        names = []
        while isinstance(current, str) and isinstance(nodes.get(current), dict) and len(names) <= len(nodes):
            names.append(current)
            current = nodes[current].get("parent")
        names.reverse()
    for name in names:
        message = nodes[name].get("message") if isinstance(nodes[name], dict) else None
        if isinstance(message, dict) and message.get("recipient", "all") == "all":
            yield f"mapping[{name[:40]}]", message


def _text(message: dict[str, Any], where: str) -> str | None:
    """The text of one message."""
    content = message.get("content", message.get("value"))
    if isinstance(content, dict):  # ChatGPT's
        if content.get("content_type") not in (None, "text", "multimodal_text"):
            return None
        return parts_of(content.get("parts"))[0]
    if content is not None:
        text = text_of_content(content, where)[0]
        if text:
            return text
    if "parts" in message:
        return parts_of(message["parts"])[0]
    text = message.get("text")
    return text if isinstance(text, str) else None
