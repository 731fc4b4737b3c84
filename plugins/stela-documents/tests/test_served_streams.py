"""Streamed answers of OpenAI's form are put together again, one text per choice."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_cli.documents import json_lines
from stela_cli.documents.read import sniff
from stela_cli.documents.reader import Text
from stela_cli.documents.stream import Stream
from stela_documents import served_stream

from stela_core.errors import StelaError
from tests.tiers import examples

from .helpers import NOTES, READERS, error, read, texts

PIECES = ["The libr", "ary is", " old. ", "오래된", " 책\u2028"]
TEXT = "".join(PIECES)


Event = dict[str, Any]


def chunk(index: int, delta: Event, finish: str | None = None, name: str = "chatcmpl-1") -> Event:
    """One event of a chat completion as vLLM streams it."""
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish, "token_ids": None}
    return {
        "id": name,
        "object": "chat.completion.chunk",
        "created": 1764000000,
        "model": "tiny",
        "choices": [choice],
    }


def chat(index: int = 0, name: str = "chatcmpl-1", pieces: list[str] = PIECES) -> list[dict[str, Any]]:
    events = [chunk(index, {"role": "assistant", "content": ""}, name=name)]
    events += [chunk(index, {"content": piece}, name=name) for piece in pieces]
    return [*events, chunk(index, {}, "stop", name)]


def sse(*events: Any, done: bool = True, end: str = "\n") -> bytes:
    lines = [f"data: {event if isinstance(event, str) else json.dumps(event)}{end}{end}" for event in events]
    return "".join([*lines, f"data: [DONE]{end}{end}" if done else ""]).encode()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


USAGE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.sse", "a", "a.json", "a.jsonl"])
def test_stream_is_one_text_whatever_its_name(tmp_path: Path, name: str, end: str) -> None:
    file = write(tmp_path / name, sse(*chat(), USAGE, end=end))
    assert read(file) == [Text(f"{file}:1 choices[0]", TEXT)]
    noted = (
        [] if name == "a.sse" else [f"{file} is taken for a stream of events; --format names another kind"]
    )
    assert noted == NOTES


def test_stream_in_a_text_file_is_tested_as_it_stands_with_a_note(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", sse(*chat()))
    assert texts(file) == [sse(*chat()).decode()]
    assert "looks like a stream of events and is tested as plain text; --format sse reads it so" in NOTES[0]
    assert texts(file, kind="sse") == [TEXT]


def test_choices_and_answers_come_mixed(tmp_path: Path) -> None:
    """Two choices of an answer, beside another answer; one more behind [DONE], as of a second curl."""
    first, second, other = chat(0), chat(1, pieces=["b", "c"]), chat(0, "chatcmpl-2", ["d"])
    mixed = [first[0], second[0], other[0], *second[1:3], *first[1:4], *other[1:], *first[4:], *second[3:]]
    file = write(tmp_path / "a.sse", b": a comment\n\n" + sse(*mixed) + sse(*chat()))
    assert read(file) == [
        Text(f"{file}:3 choices[0]", TEXT),
        Text(f"{file}:3 choices[1]", "bc"),
        Text(f"{file}:7 choices[0]", "d"),
        Text(f"{file}:{3 + 2 * len(mixed) + 2} choices[0]", TEXT),
    ]


def test_completions_stream_their_text(tmp_path: Path) -> None:
    events = [
        {
            "id": "cmpl-1",
            "object": "text_completion",
            "choices": [{"index": 0, "text": piece, "finish_reason": None}],
        }
        for piece in PIECES
    ]
    events[-1]["choices"][0]["finish_reason"] = "length"  # type: ignore[index]
    assert texts(write(tmp_path / "a.sse", sse(*events))) == [TEXT]


def response_events() -> list[dict[str, Any]]:
    """What the Responses protocol sends for reasoning, a text and a tool call."""
    message = {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}
    call = {"type": "function_call", "name": "f", "arguments": "{}"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "object": "response", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning"}},
        {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hm."},
        {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning"}},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}},
    ]
    events += [
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": piece}
        for piece in PIECES
    ]
    events += [
        {"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": TEXT},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{}"},
        {"type": "response.output_item.done", "output_index": 2, "item": call},
    ]
    output = [{"type": "reasoning", "summary": []}, message, call]
    events.append({"type": "response.completed", "response": {"object": "response", "output": output}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


@pytest.mark.parametrize("kept", ["all", "without pieces", "the last alone"])
def test_responses_stream(tmp_path: Path, kept: str) -> None:
    events = response_events()
    if kept != "all":
        events = [event for event in events if not event["type"].endswith(".delta")]
    if kept == "the last alone":
        events = events[-1:]
    lines = [f"event: {event['type']}\n".encode() + sse(event, done=False) for event in events]
    file = write(tmp_path / "a.sse", b"".join(lines))
    assert read(file) == [Text(f"{file}:2 output[1]", TEXT)]
    assert [f"{file}: left out: reasoning (1), tool calls (1)"] == NOTES


def test_events_in_json_lines_are_put_together_too(tmp_path: Path) -> None:
    events = [*chat(), USAGE]
    file = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, events)).encode())
    assert read(file) == [Text(f"{file}:1 choices[0]", TEXT)]
    file = write(tmp_path / "b.jsonl", "\n".join(map(json.dumps, response_events())).encode())
    assert texts(file) == [TEXT]


def test_what_is_no_text_is_left_out(tmp_path: Path) -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}
    events = [
        chunk(0, {"reasoning": "Let me"}),
        *chat(0),
        chunk(1, {"content": None, **call}),
        chunk(1, {}, "tool_calls"),
        chunk(2, {"refusal": "I cannot"}),
    ]
    file = write(tmp_path / "a.sse", sse(*events))
    assert texts(file) == [TEXT]
    assert [
        f"{file}: left out: reasoning (1), refusals (1), tool calls (1); "
        f"without text: {file}:1 choices[1], {file}:1 choices[2]"
    ] == NOTES


def test_stream_that_breaks_off_is_tested_with_a_note(tmp_path: Path) -> None:
    file = write(tmp_path / "a.sse", sse(*chat()[:4], done=False))
    assert texts(file) == ["".join(PIECES[:3])]
    assert [f"{file}: the stream breaks off in {file}:1 choices[0]"] == NOTES
    file = write(tmp_path / "b.sse", sse(*chat()[:4], {"error": {"message": "out of memory", "code": 500}}))
    text, failed = sorted(read(file), key=lambda one: isinstance(one, StelaError))
    assert isinstance(text, Text)
    assert "b.sse:9 is an error of the server: out of memory" in str(failed)


def test_column_puts_the_pieces_of_other_streams_together(tmp_path: Path) -> None:
    """Of servers of other forms, and of reasoning."""
    events = [{"kind": "start"}, *({"delta": {"words": piece}} for piece in PIECES)]
    file = write(tmp_path / "a.sse", sse(*events, done=False))
    assert texts(file, column="delta.words") == [TEXT]
    assert "holds no text to test (events of no known kind: 6)" in error(file).message
    assert "--column" in error(file).hint
    thought = write(tmp_path / "b.sse", sse(*(chunk(0, {"reasoning": piece}) for piece in PIECES), *chat()))
    assert texts(thought, column="choices.0.delta.reasoning") == [TEXT]


@pytest.mark.parametrize(
    "prose",
    [
        "data: the new oil, they say.\n",
        "data:\n",
        ": it begins with a colon",
        "event: a wedding\ndata: none\n",
        "id: 7\n\nA heading.",
        'data: "a word"\n',
        "data: [1, 2]\n",
        "data: {broken\n",
    ],
)
def test_prose_stays_prose(prose: str) -> None:
    assert sniff(Stream(io.BytesIO(prose.encode())), "a", "text", READERS).format == "text"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no events"),
        (b"prose\n", "a.sse:1 is not a line of an event stream"),
        (b"data: {\n\n", "a.sse:1 is not JSON"),
        (b"data: 7\n\n", "a.sse:1 is not a JSON object"),
        (b": ping\n\n", "holds no events"),
        (sse({"object": "error", "message": "no such model"}), "is an error of the server: no such model"),
        (sse(chunk(0, {"content": 7})), "has a content of type int"),
        (sse(chunk(-1, {"content": "a"})), "whose index is not a number below 10,000"),
        (sse(chunk(10_000, {"content": "a"})), "whose index is not a number below 10,000"),
        (sse({**USAGE, "choices": [7]}), "has a choice that is not a JSON object"),
        (b'data: {"a": ' + b"[" * 40 + b"]" * 40 + b"}\n\n", "is nested deeper than 32"),
        (b"data: a\n" * 40, "is not JSON"),
    ],
    ids=range(12),
)
def test_bad_streams_are_errors(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in error(write(tmp_path / "a.sse", data)).message


def test_what_is_held_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_stream, "HELD", 100)
    monkeypatch.setattr(served_stream, "CHOICES", 5)
    monkeypatch.setattr(json_lines, "BAD", 3)
    long = write(tmp_path / "a.sse", sse(*chat(pieces=["a" * 60] * 2)))
    assert "in a stream of more than 100 characters" in str(read(long)[0])
    many = write(tmp_path / "b.sse", sse(*(chat(0, f"chatcmpl-{n}")[0] for n in range(9))))
    assert "in a stream of more than 5 choices" in str(read(many)[0])
    whole = write(tmp_path / "c.sse", b"".join(sse(*chat(pieces=["a" * 60])) for _ in range(9)))
    assert texts(whole) == ["a" * 60] * 9, "what is complete is held no longer"


@examples(200)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([json.dumps(event) for event in (*chat(), *response_events(), USAGE)]),
            st.sampled_from(["[DONE]", '{"choices": [{"delta": []}]}', '{"type": "response.x", "item": 1}']),
            st.text(alphabet='{}[]",: choiestxdlnr0', max_size=30),
        ),
        max_size=12,
    ),
    st.sampled_from(["text", "choices.0.delta", "choices.0.delta.content"]),
)
def test_any_events_are_texts_or_errors(events: list[str], column: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder) / "a.sse", sse(*events))
        for item in read(file, column=column):
            assert isinstance(item, Text | StelaError)
