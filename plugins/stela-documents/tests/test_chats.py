"""Of a saved conversation the last answer of the model is tested."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from stela_cli.documents.reader import Text

from .helpers import error, read, texts

TEXT = "The old city of the north"
ASKED = {"role": "user", "content": "Tell me about the old city."}
FIRST = {"role": "assistant", "content": "The first answer"}
PARTS = [{"type": "text", "text": TEXT}]


def node(parent: str | None, role: str, *parts: str, kind: str = "text") -> dict[str, Any]:
    content = {"content_type": kind, "parts": list(parts)}
    return {"parent": parent, "children": [], "message": {"author": {"role": role}, "content": content}}


CHATGPT = {
    "title": "The city",
    "current_node": "e",
    "mapping": {
        "a": {"parent": None, "children": ["b"], "message": None},
        "b": node("a", "user", "Tell me"),
        "x": node("b", "assistant", "An answer that was asked for again"),
        "c": node("b", "assistant", TEXT),
        "d": node("c", "assistant", "print()", kind="code"),
        "e": node("d", "tool", "result"),
    },
}
CONVERSATIONS: list[tuple[Any, str]] = [
    ({"messages": [ASKED, FIRST, ASKED, {"role": "assistant", "content": TEXT}]}, "messages[3]"),
    ({"messages": [ASKED, {"role": "assistant", "content": PARTS}, ASKED], "id": "1"}, "messages[1]"),
    (
        {"messages": [{"role": "assistant", "content": TEXT}, {"role": "assistant", "content": None}]},
        "messages[0]",
    ),
    (
        {"conversations": [{"from": "human", "value": "Tell me"}, {"from": "gpt", "value": TEXT}]},
        "conversations[1]",
    ),
    (CHATGPT, "mapping[c]"),
    (
        {
            "uuid": "1",
            "chat_messages": [
                {"sender": "human", "text": "Tell me"},
                {"sender": "assistant", "text": TEXT, "content": PARTS},
            ],
        },
        "chat_messages[1]",
    ),
    ({"chat_messages": [{"sender": "assistant", "text": TEXT, "content": []}]}, "chat_messages[0]"),
    (
        {
            "contents": [
                {"role": "user", "parts": [{"text": "?"}]},
                {"role": "model", "parts": [{"text": TEXT}]},
            ]
        },
        "contents[1]",
    ),
]


@pytest.mark.parametrize(("conversation", "place"), CONVERSATIONS, ids=range(len(CONVERSATIONS)))
def test_last_answer(tmp_path: Path, conversation: Any, place: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(conversation, indent=1))
    assert read(file) == [Text(f"{file} {place}", TEXT)]
    file.write_text(json.dumps([conversation, conversation]))
    assert read(file) == [Text(f"{file}[0] {place}", TEXT), Text(f"{file}[1] {place}", TEXT)]
    lines = tmp_path / "b.jsonl"
    lines.write_text(json.dumps(conversation) + "\n")
    assert read(lines) == [Text(f"{lines}:1 {place}", TEXT)]


def test_messages_alone(tmp_path: Path) -> None:
    messages = [ASKED, {"role": "assistant", "content": TEXT}]
    (tmp_path / "a.json").write_text(json.dumps(messages))
    assert read(tmp_path / "a.json") == [Text(f"{tmp_path / 'a.json'} [1]", TEXT)]
    (tmp_path / "b.jsonl").write_text(json.dumps({"data": {"chat": messages}, "text": "t"}) + "\n")
    assert texts(tmp_path / "b.jsonl", column="data.chat") == [TEXT]


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [ASKED]},
        {"conversations": [{"from": "human", "value": TEXT}]},
        {"id": 1, "data": {"answers": [{"body": TEXT}]}},
        {"id": "short", "turns": [[TEXT]]},
        [ASKED],
    ],
    ids=range(5),
)
def test_hint_names_a_place_that_works(tmp_path: Path, value: Any) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(value))
    hint = error(file).hint
    place = re.split("[, ]+", hint.partition("with --column: ")[2])[0]
    assert texts(file, column=place) in ([TEXT], [ASKED["content"]])
