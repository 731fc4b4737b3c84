"""Marks of answers alone: each row as if its answer were the whole text; and the audit record of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stela_serving.audit import AuditLog
from stela_serving.marks import MarkWish, ServerMarks
from stela_serving.settings import ANSWER, ServerSettings

import stela_core as stela

WIDTH = 8200
KEY = 0x5EED_0FF1_C0DE_BA5E
NAMES = ("kgw", "unigram", "gumbel")
PROMPT = "What is it? <think>\n"
OUTPUT = "It may be a city. </think>The city lies on a river."


@dataclass(frozen=True)
class Plain:
    """Logits are final as they are."""

    seed: int | None = None

    @property
    def unseeded(self) -> Plain:
        return self

    def final(self, logits: torch.Tensor) -> torch.Tensor:
        return logits.float()


@pytest.fixture(scope="module")
def watermarks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    return {name: stela.create(name, model="tiny", key=KEY, registry=registry) for name in NAMES}


def logits_of(seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (1, WIDTH)).astype(np.float32))


def encode(watermark: stela.Watermark, text: str) -> list[int]:
    ids: list[int] = watermark.tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def wanted(watermark: stela.Watermark, ids: list[int], logits: torch.Tensor) -> torch.Tensor:
    """By the stateless marker; a row that it does not mark stays the engine's."""
    marker = watermark.marker()
    if marker.samples and marker.step([ids], logits).weights == [None]:
        return logits
    return marker([ids], logits)


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_marked_as_a_text_by_itself(
    watermarks: dict[str, stela.Watermark], name: str, follows: bool
) -> None:
    marks, watermark = ServerMarks(watermarks, mark=ANSWER), watermarks[name]
    prompt, output = encode(watermark, PROMPT), encode(watermark, OUTPUT)
    said = OUTPUT[OUTPUT.index(">") + 1 :]
    begins = next(n for n in range(len(output)) if ">" in watermark.tokenizer.decode(output[: n + 1])) + 1
    assert watermark.tokenizer.decode(output[begins:]).strip() == said.strip()
    ids: list[int] = []
    (marks.follow if follows else marks.add)("r", MarkWish(name, Plain()), ids, prompt)
    for number, token in enumerate(output):
        logits = logits_of(number)
        got = marks.marked({0: "r"}, logits.clone())
        if number < begins:
            assert torch.equal(got, logits), "thoughts bear no mark"
        else:
            assert torch.equal(got, wanted(watermark, output[begins:number], logits))
        if follows:
            ids.append(token)
        else:
            marks.append("r", token)


def test_drafts_know_where_the_answer_begins(watermarks: dict[str, stela.Watermark]) -> None:
    """Rows of one step: drafts go on within thoughts, end them, and lie in the answer."""
    marks, watermark = ServerMarks(watermarks, mark=ANSWER), watermarks["kgw"]
    output = encode(watermark, OUTPUT)
    ends = next(n for n in range(len(output)) if ">" in watermark.tokenizer.decode(output[: n + 1]))
    marks.add("r", MarkWish("kgw", Plain()), output[: ends - 1], encode(watermark, PROMPT))
    logits = torch.cat([logits_of(number) for number in range(5)])
    rows, before = {0: "r"}, "r"
    for row in range(1, 5):
        marks.draft(before, f"draft {row}", output[ends - 2 + row])
        before = rows[row] = f"draft {row}"
    got = marks.marked(rows, logits.clone())
    for name in [rows[row] for row in range(1, 5)]:
        marks.remove(name, is_draft=True)
    for row in range(5):
        answer = output[ends + 1 : ends - 1 + row]
        hidden = row < 2
        expected = logits[row : row + 1] if hidden else wanted(watermark, answer, logits[row : row + 1])
        assert torch.equal(got[row : row + 1], expected), row
    assert not torch.equal(got[4], logits[4])
    assert torch.equal(marks.marked({0: "r"}, logits[:1].clone()), logits[:1]), (
        "the text itself did not go on"
    )


def test_a_token_that_is_not_known_yet_is_waited_for(watermarks: dict[str, stela.Watermark]) -> None:
    marks, output = ServerMarks(watermarks, mark=ANSWER), encode(watermarks["kgw"], "The city lies")
    ids = [*output, -1]
    marks.follow("r", MarkWish("kgw", Plain()), ids)
    assert torch.equal(marks.marked({0: "r"}, logits_of(1)), logits_of(1))
    ids[-1] = output[0]
    expected = wanted(watermarks["kgw"], ids, logits_of(1))
    assert torch.equal(marks.marked({0: "r"}, logits_of(1)), expected)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("follows", [True, False])
def test_the_audit_record_says_of_each_request_what_was_marked(
    watermarks: dict[str, stela.Watermark], tmp_path: Path, follows: bool
) -> None:
    audit = tmp_path / "audit.jsonl"
    marks = ServerMarks(watermarks, mark=ANSWER, audit=AuditLog(audit, "default-on"))
    watermark, wish = watermarks["kgw"], MarkWish("kgw", Plain())
    texts = {"r": OUTPUT, "t": "It may be", "s": "The"}
    for name, text in texts.items():
        ids: list[int] = []
        begin = marks.follow if follows else marks.add
        begin(name, wish, ids, encode(watermark, PROMPT) if name != "s" else ())
        for number, token in enumerate(encode(watermark, text)):
            marks.marked({0: name}, logits_of(number))
            if follows:
                ids.append(token)
            else:
                marks.append(name, token)
        marks.remove(name)
    marks.pass_over()
    said = lines(audit)
    assert [line["marked"] for line in said] == [True, False, False, False]
    key_id = watermark.profile.hasher.key_id
    assert key_id is not None
    assert [line.get("key_id") for line in said] == [key_id, key_id, key_id, None]
    assert {line["policy"] for line in said} == {"default-on"}
    assert said[0]["tokens"] == len(encode(watermark, OUTPUT))
    answer = encode(watermark, "The city lies on a river.")
    assert said[0]["marked_tokens"] == len(answer) - 1, "the first one has no context"
    assert "no answer" in said[1]["why"]
    assert "before a token had a context" in said[2]["why"]
    assert said[3]["why"] == "the request asked for no mark"
    written = audit.read_text(encoding="utf-8")
    assert "city" not in written
    assert audit.stat().st_mode & 0o777 == 0o600
    assert f"{KEY:x}" not in written
    assert str(KEY) not in written


def test_each_day_has_its_file_and_none_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr("time.time", lambda: now[0])
    audit = AuditLog(tmp_path / "audit.jsonl", "required")
    for _ in range(3):
        audit.unmarked("a reason")
        now[0] += 86_400
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) == 3
    assert files[0] == "audit.jsonl"
    assert all(len(lines(path)) == 1 for path in tmp_path.iterdir())
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_what_is_wrong_with_the_settings_is_said(tmp_path: Path) -> None:
    profile = tmp_path / "p.stela"
    profile.touch()
    given = {"STELA_PROFILE": str(profile)}
    assert ServerSettings.read(given).mark == "all"
    assert ServerSettings.read({**given, "STELA_MARK": "</think>"}).mark == "</think>"
    with pytest.raises(stela.StelaError, match=r'STELA_MARK is "anser", .* all, answer, or the delimiter'):
        ServerSettings.read({**given, "STELA_MARK": "anser"})
    with pytest.raises(stela.StelaError, match=r"audit record .* cannot be written"):
        AuditLog(tmp_path / "no folder" / "audit.jsonl", "required")


def test_drafts_that_hold_a_call_of_a_tool_leave_it_out(watermarks: dict[str, stela.Watermark]) -> None:
    """The delimiter's own tokens were the answer's until its last one came."""
    marks, watermark = ServerMarks(watermarks, mark=ANSWER), watermarks["kgw"]
    said, call = encode(watermark, "The city lies"), encode(watermark, "<tool_call>x</tool_call>")
    marks.add("r", MarkWish("kgw", Plain()), said)
    before = "r"
    for number, token in enumerate(call):
        marks.draft(before, f"draft {number}", token)
        before = f"draft {number}"
    logits = logits_of(1)
    assert torch.equal(marks.marked({0: before}, logits.clone()), wanted(watermark, said, logits))
