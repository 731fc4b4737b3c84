"""JSON lines: only a line feed ends a line, and what is wrong with one says where it stands."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path

import pytest
from stela_cli.detect_inputs import read_jsonl
from stela_cli.documents.json_lines import JsonLines
from stela_cli.documents.stream import numbered, opened
from stela_corpora.corpus import Corpus
from stela_documents.json_file import AnswerLines
from stela_run.bounded_files import objects_in, read_objects
from stela_run.plan.texts import _rows
from stela_run.report.records import read_lines
from stela_run.testing import PROMPTS

import stela_core as stela

NOT_ENDS = "\u2028 \u2029 \x85 \x0b \x0c \x1c \x1d \x1e"
"""Where ``str.splitlines`` cuts; JSON escapes those below U+0020 alone."""
TEXTS = [f"{PROMPTS[0]} {NOT_ENDS} end", "two"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A byte order mark, a blank line, a carriage return, and no line feed at the end."""
    rows = [json.dumps({"text": text, "prompt": text}, ensure_ascii=False).encode() for text in TEXTS]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + rows[0] + b"\r\n\n" + rows[1])
    assert len(path.read_text(encoding="utf-8").splitlines()) > 3
    return path


def test_read_whole(file: Path) -> None:
    assert [row["text"] for row in read_objects(file, 10_000)] == TEXTS
    assert [row["text"] for row in read_lines(file)] == TEXTS


def test_all_readers_read_the_same(file: Path, tmp_path: Path) -> None:
    assert list(Corpus(file)) == TEXTS
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert list(Corpus(packed)) == TEXTS
    assert read_jsonl(str(file), ("text",)) == [(1, TEXTS[0]), (3, TEXTS[1])]
    assert [row["text"] for _, row in _rows(file, 0, len(TEXTS))] == TEXTS
    for path, reader in product((file, packed), (JsonLines, AnswerLines)):
        with opened(str(path)) as stream:
            found = list(reader.texts(stream, "a", "text", print))
        assert [(one.source, one.text) for one in found if not isinstance(one, stela.StelaError)] == [
            ("a:1", TEXTS[0]),
            ("a:3", TEXTS[1]),
        ]


def test_errors_name_the_line(file: Path, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="is larger than"):
        read_objects(file, 100)
    with pytest.raises(stela.StelaError, match="does not exist"):
        read_objects(tmp_path / "none", 100)
    for line, expected in (
        (b"{", "a:2 is not JSON"),
        (b"[1]", "a:2 is not a JSON object"),
        (b"1", "a:2 is not a JSON object"),
    ):
        with pytest.raises(stela.StelaError, match=expected) as error:
            list(objects_in([b"{}", line], "a", "mend it"))
        assert error.value.hint == "mend it"


def test_numbers_count_blank_lines_too() -> None:
    assert list(numbered([b"\xef\xbb\xbfa", b"", b"\xef\xbb\xbf"])) == [
        (1, b"a"),
        (2, b""),
        (3, b"\xef\xbb\xbf"),
    ]


def test_lone_surrogates_where_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"error": "\\udc80"}\n')
    with pytest.raises(stela.StelaError, match=":1 is not JSON"):
        read_objects(path, 100)
    assert read_lines(path) == [{"error": "\udc80"}]
