"""Each kind of file gives its texts, with the place each came from."""

from __future__ import annotations

import csv
import gzip
import json
import os
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from stela_cli.documents.reader import Text
from stela_cli.documents.sources import Readers, sources_of

from stela_core.errors import StelaError
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins

from .helpers import NOTES, docx, error, pdf_of_lines, read, texts

TEXT = 'The library is old, "and" its books — 오래된 책 — are read.\nBy many, {people} <all> over.'


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.TXT", "a"])
def test_text(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name, b"\xef\xbb\xbf" + TEXT.encode())
    assert read(file) == [Text(str(file), TEXT)]
    assert NOTES == []


def test_json_lines_also_compressed(tmp_path: Path) -> None:
    data = f"\ufeff{json.dumps({'prompt': 'p', 'text': TEXT})}\r\n\n{json.dumps({'text': ''})}\n".encode()
    for file in (write(tmp_path / "a.jsonl", data), write(tmp_path / "a.jsonl.gz", gzip.compress(data))):
        assert read(file) == [Text(f"{file}:1", TEXT), Text(f"{file}:3", "")]


def test_json(tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", json.dumps({"text": TEXT, "n": 1}, indent=2))
    many = write(tmp_path / "many.json", json.dumps([{"text": TEXT}, "a string", {"n": 1}, 7]))
    assert read(one) == [Text(str(one), TEXT)]
    *good, bad, worse = read(many)
    assert good == [Text(f"{many}[0]", TEXT), Text(f"{many}[1]", "a string")]
    assert "many.json[2] has no" in str(bad)
    assert "many.json[3] is not a JSON object" in str(worse)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "a.csv"
    long = "word " * 40_000  # beyond the csv module's own limit
    with file.open("w", encoding="utf-8-sig", newline="") as opened:
        rows = csv.writer(opened, delimiter=delimiter)
        rows.writerows([["id", "text"], [1, TEXT], [2], [3, long]])
    limit = csv.field_size_limit()
    first, bad, last = read(file)
    assert (first, last) == (Text(f"{file}:2", TEXT), Text(f"{file}:5", long))
    assert "a.csv:4 has no" in str(bad)
    assert csv.field_size_limit() == limit
    assert texts(write(tmp_path / "b.csv", "body\r\nx\r\n"), column="body") == ["x"]
    assert "has no column" in str(error(write(tmp_path / "c.csv", "body,n\nx,1\n")))
    assert "it has: body, n" in error(tmp_path / "c.csv").hint


@pytest.mark.slow
def test_docx_and_pdf(tmp_path: Path) -> None:
    words = write(tmp_path / "a.docx", docx(TEXT.split("\n")))
    assert read(words) == [Text(str(words), TEXT)]
    lines = ["The library is old and its books are wonder-", "ful. They are read by", "many people."]
    paper = write(tmp_path / "a.pdf", pdf_of_lines(lines))
    assert texts(paper) == ["The library is old and its books are wonderful. They are read by many people."]


def test_folder_is_read_in_order_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.txt", "a.md", "sub/c", ".git/d.txt", ".hidden.txt"):
        write(tmp_path / name, name)
    write(tmp_path / "p.png", b"\x89PNG")
    (tmp_path / "link.txt").symlink_to(tmp_path / "b.txt")
    os.mkfifo(tmp_path / "pipe.txt")  # opening it would wait for ever
    assert texts(tmp_path) == ["a.md", "b.txt", "sub/c"]
    [note] = NOTES
    assert "left out link.txt, p.png, pipe.txt: known are .txt" in note
    (tmp_path / "empty").mkdir()
    assert "holds no file" in error(tmp_path / "empty").message


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.png", b"\x89PNG\r\n", "this kind of file is not known"),
        ("a.zip", b"PK\x03\x04", "this kind of file is not known"),
        ("a.txt", b"\x89PNG\r\n\x1a\n\0", "is a PNG image"),
        ("a", b"\x7fELF\0\0", "is a program"),
        ("a.md", b"PK\x03\x04\0\0", "is a zip archive"),
        ("a.txt", "한국어".encode("euc-kr"), "is not UTF-8"),
        ("a.txt", "\ufefftext".encode("utf-16-le")[:-1], "a.txt begins as UTF-16"),
        ("a.txt", "a text".encode("utf-16-be"), "is not text: it holds NUL bytes"),
        ("a.txt", b"text\0text", "is not text: it holds NUL bytes"),
        ("a.jsonl", b"", "is empty"),
        ("a.csv", b"", "is empty"),
        ("a.json", b"[]", "is an empty array"),
        ("a.json", b"{", "is not JSON"),
        ("a.jsonl", b"prose", "a.jsonl:1 is not JSON"),
        ("a.jsonl", b'{"text": null}', 'has a "text" that is null'),
        ("a.jsonl", b'{"text": "\\ud800"}', "a.jsonl:1 is not well-formed unicode"),
        ("a.docx", b"PK\x03\x04", "cannot be read"),
        ("a.pdf", b"%PDF-1.4", "cannot be read"),
        ("a.pdf", b"", "is empty"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    found = error(write(tmp_path / name, data))
    assert expected in found.message
    assert name in found.message


def test_other_fields_are_suggested(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", '{"id": 1, "content": "x"}')
    assert "--column: content" in error(file).hint
    assert texts(file, column="content") == ["x"]


def test_bad_texts_leave_the_others(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl", '{"text": "a"}\n{"text": 3}\n\xff\n{"text": "\\udc00"}\n{"text": "b"}\n'
    )
    found = read(tmp_path / "none.txt", file, write(tmp_path / "c.txt", "c"))
    assert [item.text for item in found if isinstance(item, Text)] == ["a", "b", "c"]
    named = [item.message for item in found if isinstance(item, StelaError)]
    assert [any(part in message for message in named) for part in ("none.txt", ":2 ", ":3 ", ":4 ")] == [
        True
    ] * 4


def test_text_file_that_looks_like_json_lines_is_tested_with_a_note(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", '{"text": "a"}\n')
    assert texts(file) == ['{"text": "a"}\n']
    assert "looks like JSON lines and is tested as plain text; --format jsonl" in NOTES[0]
    assert texts(file, kind="jsonl") == ["a"]
    assert texts(file, kind="text") == ['{"text": "a"}\n']
    assert NOTES == []


def test_format_names_what_endings_do_not(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "a.tex", "prose"), kind="text") == ["prose"]
    assert texts(write(tmp_path / "a.out", '{"text": "x"}'), kind="jsonl") == ["x"]


def test_without_the_plugin_it_is_said_what_reads_the_others(tmp_path: Path) -> None:
    alone = Readers(Registry(create_plugins(installed=entry_points(group="stela", name="cli"))))
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "c.png").write_bytes(b"")
    [refused] = sources_of([str(tmp_path / "a.csv")], None, NOTES.append, alone)
    assert isinstance(refused, StelaError)
    assert refused.hint == "pip install stela-documents"
    with pytest.raises(StelaError, match=r'no reader of format "csv".*pip install stela-documents'):
        sources_of([str(tmp_path / "b.txt")], "csv", NOTES.append, alone)
    NOTES.clear()
    [source] = sources_of([str(tmp_path)], None, NOTES.append, alone)
    assert not isinstance(source, StelaError)
    assert source.path.endswith("b.txt")
    [note] = NOTES
    assert "left out a.csv, c.png" in note
    assert note.endswith("; pip install stela-documents reads more")
