"""What standard input is taken for, and that prose stays prose."""

from __future__ import annotations

import io
import json

import pytest
from stela_cli.documents.read import sniff
from stela_cli.documents.stream import HEAD, Stream

from stela_core.errors import StelaError

from .helpers import READERS, docx, pdf_of_lines

RECORD = json.dumps({"prompt": "p", "text": "t"})
LONG = json.dumps({"token_ids": list(range(HEAD)), "text": "t"})


def kind(data: bytes | str, column: str = "text") -> str:
    stream = Stream(io.BytesIO(data.encode() if isinstance(data, str) else data))
    found = sniff(stream, "standard input", column, READERS).format
    assert io.BufferedReader(stream).read() == (data.encode() if isinstance(data, str) else data)
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (RECORD, "jsonl"),
        (f"{RECORD}\n{RECORD}\n", "jsonl"),
        (f"\ufeff\n  {RECORD}\n", "jsonl"),
        (f"{LONG}\n{LONG}\n", "jsonl"),
        (f"broken {RECORD[5:]}\n{RECORD}\n", "jsonl"),
        (f"{RECORD[5:]}\n{RECORD}\n", "jsonl"),
        ('{"content": "no text here"}\n', "jsonl"),
        (json.dumps({"text": "t", "list": [1, 2]}, indent=1), "json"),
        (json.dumps([{"text": "t"}], indent=1), "json"),
        ('["a", "b"]', "json"),
        ("id,text\n1,a\n", "csv"),
        ("id;text;n\n1;a;2\n", "csv"),
        ("<!DOCTYPE html><p>a", "html"),
        ("\n<!-- a --><?xml version='1.0'?>\n<HTML lang=en>", "html"),
        (pdf_of_lines(["a"]), "pdf"),
        (docx(["a"]), "docx"),
    ],
    ids=range(16),
)
def test_structured_input_is_recognised(data: bytes | str, expected: str) -> None:
    assert kind(data) == expected


@pytest.mark.parametrize(
    "prose",
    [
        "",
        "Plain words.",
        "{ begins with a brace, and is prose.",
        "{braces} all over.\nAnd another line.",
        "{\n  not: json\n}\n",
        "[1] A footnote.\n[2] Another.",
        "[1, 2]",
        "[]",
        "42",
        '"a quotation"',
        "null",
        "text",
        "text\nof two lines",
        "A title, text, and more\nof the same",
        "id,text",
        "<3 is a heart.",
        "<p>a fragment",
        "<!-- never closed",
        "<html5 is not a tag>",
        '{"a": 1, broken',
        "[" * 100_000,
        "한국의 역사는 오래되었다.",
        "\x1b[31mred",
    ],
    ids=lambda prose: repr(prose[:20]),
)
def test_prose_stays_prose(prose: str) -> None:
    assert kind(prose) == "text"


def test_column_names_the_column_of_csv() -> None:
    assert kind("id,body\n1,a\n", "body") == "csv"
    assert kind("id,body\n1,a\n") == "text"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n", b"PK\x03\x04 no document", b"\x1f\x8b\x08", b"{\\rtf1 a}"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(StelaError, match=r"standard input is .* not text"):
        kind(data)
