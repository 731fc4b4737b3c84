"""Prompts in JSON lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_cli.detect_inputs import read_jsonl

from stela_core.errors import StelaError

FIELDS = ("prompt", "text")


def test_first_field_that_is_there(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('\ufeff{"text": "b", "prompt": "a\u2028b"}\r\n\n{"text": "c"}', encoding="utf-8")
    assert read_jsonl(str(file), FIELDS) == [(1, "a\u2028b"), (3, "c")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "p.jsonl is empty"),
        (b'{"text": "a"}\n{"text": ""}', 'p.jsonl:2 has an empty "prompt" or "text"'),
        (b'{"text": 1}', 'p.jsonl:1 has no "prompt" or "text"'),
        (b"[]", 'p.jsonl:1 has no "prompt" or "text"'),
        (b"prose", "p.jsonl:1 is not JSON"),
        (b'{"text": "\\ud800"}', "p.jsonl:1 is not well-formed unicode"),
        (b'{"text": "\xff"}', "p.jsonl:1 is not UTF-8"),
        (b"[" * 100_000, "p.jsonl:1 is "),
        (b"[" + b"[]," * 2_000_001 + b"[]]", "p.jsonl:1 is holding more than 4,000,000 values"),
        (b" " * (17 << 20), "p.jsonl:1 is a line of more than 16 MiB"),
    ],
    ids=range(10),
)
def test_bad_prompts_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(data)
    with pytest.raises(StelaError) as caught:
        read_jsonl(str(file), FIELDS)
    assert message in caught.value.message
    assert caught.value.hint


def test_no_file(tmp_path: Path) -> None:
    for path in ("none.jsonl", "."):
        with pytest.raises(StelaError, match=r"does not exist|cannot be read"):
            read_jsonl(str(tmp_path / path), FIELDS)
