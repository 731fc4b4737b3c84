"""Answers of servers of OpenAI's form: one text per choice, named by where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_cli.documents.reader import Text

from stela_core.errors import StelaError

from .helpers import NOTES, error, read, texts

TEXT = "The library is old, and its books are read. 오래된 책."


def write(path: Path, *values: Any, indent: int | None = None) -> Path:
    path.write_text("\n".join(json.dumps(value, indent=indent) for value in values) + "\n", encoding="utf-8")
    return path


def chat(*messages: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    """A chat completion as vLLM 0.32 writes it."""
    choices = [
        {
            "index": index,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "annotations": None,
                "audio": None,
                "function_call": None,
                "tool_calls": [],
                "reasoning": None,
                **message,
            },
            "logprobs": None,
            "finish_reason": finish,
            "stop_reason": None,
            "token_ids": None,
        }
        for index, message in enumerate(messages)
    ]
    return {
        "id": "chatcmpl-8d1f",
        "object": "chat.completion",
        "created": 1764000000,
        "model": "tiny",
        "choices": choices,
        "service_tier": None,
        "usage": {"prompt_tokens": 9, "total_tokens": 29, "completion_tokens": 20},
        "prompt_logprobs": None,
    }


def completion(*given: str) -> dict[str, Any]:
    choices = [
        {"index": n, "text": text, "logprobs": None, "finish_reason": "length"}
        for n, text in enumerate(given)
    ]
    return {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "tiny", "choices": choices}


def response(*output: dict[str, Any]) -> dict[str, Any]:
    """A Responses object; its field ``text`` is not text."""
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "error": None,
        "output": list(output),
        "text": {"format": {"type": "text"}},
        "tools": [],
    }


def message(*parts: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": part, "annotations": []} for part in parts]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "content": [{"type": "reasoning_text", "text": "?"}],
}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
TOOLS = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city": "Seoul"}'}}]


def batch(name: str, body: dict[str, Any] | None, status: int = 200, **fields: Any) -> dict[str, Any]:
    answer = {"status_code": status, "request_id": f"r-{name}", "body": body}
    return {"id": f"vllm-{name}", "custom_id": name, "response": answer, "error": None, **fields}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["answer.json", "answer"])
def test_chat_completion_has_a_text_a_choice(tmp_path: Path, name: str, indent: int | None) -> None:
    file = write(tmp_path / name, chat({"content": TEXT}, {"content": "Two."}), indent=indent)
    where = f"{file}:1" if name == "answer" and indent is None else str(file)
    assert read(file) == [Text(f"{where} choices[0]", TEXT), Text(f"{where} choices[1]", "Two.")]
    assert [note for note in NOTES if "left out" in note] == []


def test_completions_and_answers_in_arrays_and_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", [completion(TEXT, "b"), {"text": "c"}, "d", chat({"content": "e"})])
    assert read(file) == [
        Text(f"{file}[0] choices[0]", TEXT),
        Text(f"{file}[0] choices[1]", "b"),
        Text(f"{file}[1]", "c"),
        Text(f"{file}[2]", "d"),
        Text(f"{file}[3] choices[0]", "e"),
    ]
    lines = write(tmp_path / "a.jsonl", completion(TEXT), chat({"content": "b"}))
    assert read(lines) == [Text(f"{lines}:1 choices[0]", TEXT), Text(f"{lines}:2 choices[0]", "b")]


def test_a_text_of_its_own_comes_before_the_form(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "a.jsonl", {**completion("no"), "text": TEXT})) == [TEXT]


def test_responses_object_has_a_text_a_message(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", response(REASONING, message(TEXT, " More."), CALL, message("End.")))
    assert read(file) == [Text(f"{file} output[1]", f"{TEXT} More."), Text(f"{file} output[3]", "End.")]
    assert [f"{file}: left out: reasoning (1), tool calls (1)"] == NOTES


def test_batch_lines_are_named_by_custom_id_and_failures_are_errors(tmp_path: Path) -> None:
    file = write(
        tmp_path / "out.jsonl",
        batch("first", chat({"content": TEXT}, {"content": "b"})),
        batch("second", {"error": {"message": "too long", "type": "BadRequest", "code": 400}}, status=400),
        batch("third", None, error={"code": "batch_expired", "message": "not run in time"}, response=None),
        {"custom_id": "fourth", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": []}},
        batch("fifth", response(message("c"))),
        batch("sixth", {"object": "list", "data": [{"embedding": [0.5]}]}),
    )
    found = read(file)
    assert [one for one in found if isinstance(one, Text)] == [
        Text(f"{file}:1 (first) choices[0]", TEXT),
        Text(f"{file}:1 (first) choices[1]", "b"),
        Text(f"{file}:5 (fifth) output[0]", "c"),
    ]
    assert [one.message for one in found if isinstance(one, StelaError)] == [
        f"{file}:2 (second) was not answered: too long.",
        f"{file}:3 (third) was not answered: not run in time.",
        f"{file}:4 (fourth) is a request of a batch, not its answer.",
        f"{file}:6 (sixth) is not an answer of OpenAI's form.",
    ]


def test_what_is_no_text_is_left_out_and_said_in_one_line(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl",
        chat({"content": TEXT, "reasoning": "Let me think."}, {"tool_calls": TOOLS}),
        chat({"refusal": "I cannot."}, {"content": ""}),
        chat({"content": None}, {"content": "", "reasoning_content": "Hm."}),
        chat({"content": [{"type": "text", "text": "In "}, {"type": "text", "text": "parts."}]}),
    )
    assert texts(file) == [TEXT, "", "In parts."]
    assert [
        f"{file}: left out: null content (1), reasoning (2), refusals (1), tool calls (1); "
        f"without text: {file}:1 choices[1], {file}:2 choices[0], {file}:3 choices[0] and 1 more"
    ] == NOTES


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (chat({"tool_calls": TOOLS}), "holds no text to test (left out: tool calls (1); without text: "),
        (response(REASONING, CALL), "holds no text to test (left out: reasoning (1), tool calls (1))"),
        (chat(), "has no choices"),
        (response(), "has no choices"),
        ({"error": {"message": "no such model", "code": 404}}, "is an error of the server: no such model."),
        ({"object": "error", "message": "bad", "code": 400}, "is an error of the server: bad."),
        (chat({"content": 7}), "choices[0] has a content of type int, not a string"),
        (chat({"content": [7]}), "choices[0] has a part that is not a JSON object"),
        ({"object": "chat.completion", "choices": [7]}, "choices[0] has neither a message nor a text"),
        ({"object": "text_completion", "choices": [{"index": 0}] * 10_001}, "more than 10,000 choices"),
    ],
    ids=range(10),
)
def test_answers_without_a_text_are_errors(tmp_path: Path, value: Any, said: str) -> None:
    found = error(write(tmp_path / "a.json", value))
    assert said in found.message
    assert "a.json" in found.message


def test_other_records_with_such_names_are_none(tmp_path: Path) -> None:
    exam = {"question": "Which?", "choices": [{"label": "A", "text": "a"}, {"label": "B", "text": "b"}]}
    for value in (exam, {"custom_id": 3, "body": "prose"}, {"output": [1, 2]}, {"error": "none"}):
        assert 'has no "text"' in error(write(tmp_path / "a.jsonl", value)).message


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("response.body.choices.0.message.content", TEXT),
        ("response.body.choices.0.message.reasoning", "Hm."),
        ("response.body", TEXT),
        ("response", "response"),
        ("meta.a.b", "dots"),
        ("meta.c.0.d", "list"),
        ("plain.key", "whole"),
    ],
)
def test_column_takes_a_dotted_path(tmp_path: Path, column: str, expected: str) -> None:
    value = {
        **batch("a", chat({"content": TEXT, "reasoning": "Hm."})),
        "meta": {"a.b": "dots", "c": [{"d": "list"}]},
        "plain.key": "whole",
    }
    file = write(tmp_path / "a.jsonl", value)
    if expected == "response":
        assert 'has a "response" that is of type dict' in error(file, column=column).message
    else:
        assert texts(file, column=column) == [expected]
        assert texts(write(tmp_path / "a.json", [value]), column=column) == [expected]
        assert texts(write(tmp_path / "a", value), column=column) == [expected]


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("response.body.choices.1.message", '"response.body.choices" is a list of 1'),
        ("response.body.choices.-1", '"response.body.choices" is a list of 1'),
        ("response.bodies", '"response" has: status_code, request_id, body'),
        ("custom_id.x", '"custom_id" is of type str'),
        ("none", "leave --column out: it is a server's answer"),
    ],
)
def test_path_that_leads_nowhere_says_where_it_ends(tmp_path: Path, column: str, hint: str) -> None:
    found = error(write(tmp_path / "a.jsonl", batch("a", chat({"content": TEXT}))), column=column)
    assert f'a.jsonl:1 has no "{column}"' in found.message
    assert hint in found.hint


def test_dotted_path_into_json_of_a_csv(tmp_path: Path) -> None:
    cell = json.dumps(chat({"content": TEXT, "tool_calls": TOOLS})).replace('"', '""')
    file = tmp_path / "log.csv"
    file.write_text(f'id,answer,a.b\n1,"{cell}",x\n2,no json,y\n3\n', encoding="utf-8")
    first, second, third = read(file, column="answer.choices.0.message.content")
    assert first == Text(f"{file}:2", TEXT)
    assert "log.csv:3 is not JSON" in str(second)
    assert "log.csv:4 has no" in str(third)
    assert [one.text for one in read(file, column="a.b") if isinstance(one, Text)] == ["x", "y"]
