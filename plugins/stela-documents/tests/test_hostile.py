"""Files that were made to do harm end in one line of error, within bounds of time and memory."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_cli.documents import json_lines
from stela_cli.documents.read import sniff
from stela_cli.documents.reader import Text
from stela_cli.documents.stream import Stream
from stela_documents import sandbox, sandbox_child

from stela_core.errors import StelaError
from tests.tiers import examples

from .helpers import READERS, body, docx, error, pdf, read

MEBIBYTE = 1 << 20


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", lambda: b"a" * (17 * MEBIBYTE), "larger than 16 MiB"),
        ("a.txt", lambda: b"a" * 4_000_001, "more than 4,000,000 characters"),
        ("a.json", lambda: b"[" * (3 * MEBIBYTE), "nested deeper than 32"),
        ("a.json", lambda: b"[" + b"[]," * (3 * MEBIBYTE) + b"[]]", "more than 4,000,000 values"),
        ("a.json", lambda: b"[" * 100_000, "a.json is "),
        ("a.json", lambda: b"[" + b"9" * 100_000 + b"]", "a.json is "),
        ("a.jsonl", lambda: b'{"text": "' + b"a" * (17 * MEBIBYTE), "a line of more than 16 MiB"),
        ("a.jsonl", lambda: b"\n" * 1_000_001, "1,000,000 empty lines"),
        ("a.jsonl.gz", lambda: gzip.compress(b" " * (400 * MEBIBYTE), 1), "a line of more than 16 MiB"),
        ("a.jsonl.gz", lambda: gzip.compress((b" " * MEBIBYTE + b"\n") * 100), "expands more than 100 times"),
        ("a.jsonl.gz", lambda: gzip.compress(b"\n" * 100)[:-9], "is corrupt or truncated (gzip)"),
        ("a.csv", lambda: b'id,text\n1,"' + b"a\n" * 100_001, "a row of more than 100,000 lines"),
        ("a.csv", lambda: b"a," * (2 * MEBIBYTE), "more than 1,000,000 cells"),
        ("a.csv", lambda: b'id,text\n1,"' + b"a" * (17 * MEBIBYTE), "a line of more than 16 MiB"),
        ("a.docx", lambda: docx([], document=b"\0" * (100 * MEBIBYTE)), "unpacks to more than 64 MiB"),
        ("a.docx", lambda: docx([], document=body("<w:p>" * 9_000 + "</w:p>" * 9_000)), "Excessive depth"),
        ("a.docx", lambda: lying(), "Bad CRC-32"),
        ("a.docx", lambda: laughing(), "cannot be read"),
        ("a.pdf", lambda: pdf(bomb(), b"/Filter[/FlateDecode/FlateDecode]"), "cannot be read"),
        ("a.pdf", lambda: pdf(b"", kids=b"2 0 R 2 0 R"), "cannot be read"),
        ("a.pdf", lambda: pdf(b"BT ET", kids=b"3 0 R " * 3_001), "more than 3,000 pages"),
        ("a.pdf", lambda: pdf(b"BT ET"), "holds no text"),
    ],
)
def test_bombs_are_refused(tmp_path: Path, name: str, data: object, expected: str) -> None:
    file = write(tmp_path / name, data())  # type: ignore[operator]
    assert expected in error(file).message


def test_a_small_pdf_has_little_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One stream that unpacks to 800 KB, on 60 pages: 12 KB would take a minute of processor time."""
    monkeypatch.setattr(sandbox, "PDF_SECONDS", (1, 30))
    content = zlib.compress(b"BT /F 12 Tf 10 10 Td (aaaaaaaa) Tj ET\n" * 20_000)
    file = write(tmp_path / "a.pdf", pdf(content, b"/Filter/FlateDecode", kids=b"3 0 R " * 60))
    assert "cannot be read within 1 s" in error(file).message
    assert sandbox.seconds_for("pdf", MEBIBYTE) == 31
    assert sandbox.seconds_for("pdf", 64 * MEBIBYTE) == 60


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"text\n" + b"a\n" * 300),
        ("a.csv", b"id,text\n" + b"1,\n" * 300),
        ("a.jsonl", b'{"text": "a"}\n' * 300),
        ("a.json", b"[" + b'{"text": "a"},' * 300 + b'{"text": "a"}]'),
    ],
)
def test_a_file_holds_no_millions_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes
) -> None:
    monkeypatch.setattr("stela_cli.documents.read.MAX_SHORT_TEXTS", 100)
    found = list(read(write(tmp_path / name, data)))
    assert len(found) == 101
    assert "more than 100 texts, of fewer than 20 characters" in str(found[-1])
    long = data.replace(b"a", b"a" * 25) if b"a" in data.replace(b"text", b"") else b"text\n" + b"a" * 25
    assert not any("more than 100" in str(item) for item in read(write(tmp_path / name, long)))


def bomb() -> bytes:
    return zlib.compress(zlib.compress(b"\0" * (200 * MEBIBYTE)))


def lying() -> bytes:
    """A .docx whose directory says that the document unpacks to 1,000 bytes."""
    data = bytearray(docx([], document=b"\0" * (100 * MEBIBYTE)))
    at = data.rfind(b"word/document.xml", 0, data.rfind(b"PK\x05\x06")) - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    data[at + 24 : at + 28] = (1_000).to_bytes(4, "little")
    return bytes(data)


def laughing() -> bytes:
    """A .docx of entities that double."""
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha" * 9}">' for n in range(10))
    document = f"<!DOCTYPE x [{entities}]>".encode() + body("<w:p><w:r><w:t>&a9;</w:t></w:r></w:p>")
    return docx([], document=document)


def test_thousand_bad_lines_end_a_file(tmp_path: Path) -> None:
    *bad, last = read(write(tmp_path / "a.jsonl", b"{}\n" * 5_000))
    assert len(bad) == json_lines.BAD
    assert "has 1,000 bad lines; the rest is not read" in str(last)


@pytest.mark.slow
def test_page_that_takes_for_ever_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments that are never closed cost html.parser the square of their number: 20 minutes for these."""
    monkeypatch.setitem(sandbox.SECONDS, "html", 1)
    found = error(write(tmp_path / "a.html", b"<html>" + b"<!--" * 500_000))
    assert "cannot be read within 1 s and 512 MiB" in found.message


@pytest.mark.slow
def test_document_that_fills_the_memory_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MEMORY", 80 * MEBIBYTE)
    found = error(write(tmp_path / "a.html", b"<html>" + b"<b>" * 2_000_000))
    assert "cannot be read within 10 s and 80 MiB" in found.message


def test_process_that_reads_documents_knows_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_KEY", "0123456789abcdef")
    seen = {}

    def run(command: list[str], **options: object) -> object:
        seen.update(options["env"])  # type: ignore[call-overload]
        return subprocess.CompletedProcess(command, 0, b'{"text": "a"}', b"")

    monkeypatch.setattr(sandbox.subprocess, "run", run)
    assert sandbox.text_of_document("html", b"<p>a", "a") == "a"
    assert "STELA_KEY" not in seen
    assert seen


def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, library in (("a.pdf", "pypdf"), ("a.docx", "docx")):
        monkeypatch.setitem(sys.modules, library, None)
        found = error(write(tmp_path / name, b""))
        assert found.hint == 'pip install "stela-core[documents]"'
        assert f"reading {name[1:]} needs" in found.message


@examples(150)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.text(alphabet='{}[]",:\\ud8 text\n\r\0 1e<!-/>', max_size=80).map(
            lambda text: text.encode("utf-8", "surrogatepass")
        ),
    ),
    kind=st.sampled_from([None, "text", "jsonl", "json", "csv"]),
)
def test_any_bytes_are_texts_or_errors(data: bytes, kind: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder) / "file", data)
        for item in read(file, kind=kind):  # type: ignore[arg-type]
            assert isinstance(item, Text | StelaError)
            if isinstance(item, Text):
                item.text.encode()


@examples(100)
@given(st.binary(max_size=100), st.sampled_from([b"%PDF-1.4\n", b"PK\x03\x04", b"<html>", b"{", b"["]))
def test_sniffing_any_bytes(data: bytes, start: bytes) -> None:
    with suppress(StelaError):
        assert sniff(Stream(io.BytesIO(start + data)), "a", "text", READERS) in READERS.all


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "pdf"])
def test_damaged_documents_are_texts_or_errors(kind: str) -> None:
    """One process for all of them: what the child does, many times."""
    program = """
import io, json, random, sys
from contextlib import redirect_stdout
sys.path.insert(0, sys.argv[2])
from stela_documents import sandbox_child
from helpers import docx, pdf_of_lines
kind, rng = sys.argv[1], random.Random(1)
whole = docx(["a text"] * 20) if kind == "docx" else pdf_of_lines(["a text"] * 20)
sandbox_child.limit = lambda *bounds: None
for number in range(150):
    data = bytearray(whole)
    for _ in range(rng.randint(1, 30)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    data = data[: rng.randint(len(data) // 2, len(data))] if number % 3 == 0 else data
    sys.stdin = type("Stdin", (), {"buffer": io.BytesIO(bytes(data))})()
    out = io.StringIO()
    with redirect_stdout(out):
        sandbox_child.main(kind, 1, 1)
    [answer] = json.loads(out.getvalue())
    assert answer in ("text", "error")
"""
    assert sandbox_child.MOST
    command = [sys.executable, "-c", program, kind, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
