"""Streams and answers of servers that do not speak OpenAI's protocols."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_cli.documents.reader import Text
from stela_documents import served_stream

from .helpers import NOTES, read, texts

PIECES = ["The old", " city of", " the", " north", " 오래된"]
TEXT = "".join(PIECES)
SO_FAR = ["".join(PIECES[: n + 1]) for n in range(len(PIECES))]


def sse(events: list[Any], done: bool = True) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n" * done


def lines(events: list[Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def cohere(delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content-delta", "index": 0, "delta": {"message": {"content": delta}}}


def gemini(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0, **more}]}


def tgi(text: str, whole: str | None = None, special: bool = False) -> dict[str, Any]:
    return {"token": {"id": 1, "text": text, "special": special}, "generated_text": whole, "details": None}


STREAMS: dict[str, list[dict[str, Any]]] = {
    "sglang": [{"text": text, "meta_info": {"id": "1"}} for text in SO_FAR],
    "sglang, the last twice": [{"text": text, "meta_info": {}} for text in [*SO_FAR, TEXT]],
    "sglang incremental": [{"text": text, "meta_info": {"finish_reason": None}} for text in PIECES],
    "pieces called text": [{"kind": "piece", "data": {"text": text}} for text in PIECES],
    "and the whole again": [{"text": text} for text in [*PIECES, TEXT]],
    "anthropic": [
        {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ],
    "gemini": [
        gemini([{"text": "Hm", "thought": True}]),
        *(gemini([{"text": piece}], finishReason="STOP") for piece in PIECES),
        {"usageMetadata": {"totalTokenCount": 9}},
    ],
    "cohere": [
        {"type": "message-start", "delta": {"message": {"role": "assistant", "content": []}}},
        {
            "type": "content-start",
            "index": 0,
            "delta": {"message": {"content": {"type": "text", "text": ""}}},
        },
        cohere({"thinking": "Hm"}),
        *(cohere({"text": piece}) for piece in PIECES),
        {"type": "content-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ],
    "cohere v1": [
        {"event_type": "stream-start", "is_finished": False},
        *({"event_type": "text-generation", "text": piece, "is_finished": False} for piece in PIECES),
        {"event_type": "stream-end", "is_finished": True, "response": {"text": TEXT}},
    ],
    "tgi": [*(tgi(piece) for piece in PIECES), tgi("</s>", TEXT, special=True)],
    "llama.cpp": [
        *({"index": 0, "content": piece, "tokens": [1], "stop": False} for piece in PIECES),
        {"index": 0, "content": "", "tokens": [], "stop": True, "generation_settings": {}},
    ],
    "ollama": [
        *({"model": "m", "response": piece, "done": False} for piece in PIECES),
        {"model": "m", "response": "", "done": True, "context": [1]},
    ],
    "ollama chat": [
        *({"message": {"role": "assistant", "content": p, "thinking": ""}, "done": False} for p in PIECES),
        {"message": {"role": "assistant", "content": ""}, "done": True},
    ],
    "triton": [{"model_name": "m", "text_output": piece} for piece in PIECES],
}


@pytest.mark.parametrize("name", STREAMS)
def test_stream_is_one_text(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.sse"
    file.write_text(sse(STREAMS[name]), encoding="utf-8")
    assert read(file) == [Text(f"{file}:1 choices[0]", TEXT)]
    assert ([f"{file}: left out: reasoning (1)"] if "Hm" in str(STREAMS[name]) else []) == NOTES


@pytest.mark.parametrize(
    "name", ["anthropic", "cohere", "cohere v1", "llama.cpp", "ollama", "ollama chat", "tgi"]
)
@pytest.mark.parametrize("ending", [".ndjson", ".jsonl", ".json", ""])
def test_several_answers_in_lines(tmp_path: Path, name: str, ending: str) -> None:
    file = tmp_path / f"a{ending}"
    file.write_text(lines(STREAMS[name] * 3), encoding="utf-8")
    assert texts(file) == [TEXT] * 3


def test_stream_without_the_lines_between_its_events(tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_text(sse(STREAMS["anthropic"]).replace("\n\n", "\n"), encoding="utf-8")
    assert texts(tmp_path / "a.sse") == [TEXT]


def test_pieces_that_begin_alike_are_pieces(tmp_path: Path) -> None:
    for pieces in (["ha", "ha"], ["a", "ab", "b"], ["", "a", "a", "ba"]):
        (tmp_path / "a.sse").write_text(sse([{"text": piece} for piece in pieces]), encoding="utf-8")
        assert texts(tmp_path / "a.sse") == ["".join(pieces)]


def test_what_is_given_again_is_not_held_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_stream, "HELD", 1_000)
    longer = [{"text": "a" * n} for n in range(1, 900)]
    (tmp_path / "a.sse").write_text(sse(longer))
    assert texts(tmp_path / "a.sse") == ["a" * 899]
    (tmp_path / "a.sse").write_text(sse([*longer, {"text": "b"}]))
    assert "more than 1,000 characters" in str(read(tmp_path / "a.sse")[0])


ANTHROPIC = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": TEXT}]}
COHERE = {
    "id": "1",
    "finish_reason": "COMPLETE",
    "message": {"role": "assistant", "content": ANTHROPIC["content"]},
}


@pytest.mark.parametrize(
    "answer",
    [
        ANTHROPIC,
        {"custom_id": "1", "result": {"type": "succeeded", "message": ANTHROPIC}},
        COHERE,
        gemini([{"text": PIECES[0]}, {"text": "".join(PIECES[1:])}], finishReason="STOP"),
        {"key": "request-1", "response": gemini([{"text": TEXT}], finishReason="STOP")},
        {"model": "m", "response": TEXT, "done": True},
        {"content": TEXT, "stop": True, "model": "m"},
        {"generated_text": TEXT},
        {"generated_text": [{"role": "user", "content": "no"}, {"role": "assistant", "content": TEXT}]},
        {"text": TEXT, "meta_info": {"id": "1"}},
    ],
    ids=range(10),
)
def test_whole_answers(tmp_path: Path, answer: dict[str, Any]) -> None:
    made = {
        "a.json": json.dumps(answer, indent=1),
        "b.jsonl": lines([answer]),
        "c.json": json.dumps([answer]),
    }
    for name, data in made.items():
        (tmp_path / name).write_text(data, encoding="utf-8")
        assert texts(tmp_path / name) == [TEXT]
    (tmp_path / "d.jsonl").write_text(lines([answer] * 2), encoding="utf-8")
    assert texts(tmp_path / "d.jsonl") == [TEXT] * 2


@pytest.mark.parametrize("form", ["[[{}]]", "[[{0}, {0}], [{0}]]", "[{0}, {0}]", "{}"])
def test_output_of_pipelines(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.json").write_text(
        form.replace("{0}", "{}").replace("{}", json.dumps({"generated_text": TEXT}))
    )
    assert texts(tmp_path / "a.json") == [TEXT] * max(form.count("{0}"), 1)


def test_gemini_streams_an_array(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(STREAMS["gemini"]), encoding="utf-8")
    assert texts(tmp_path / "a.json") == [TEXT]
