from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from stela_corpora import lines as lines_module
from stela_corpora.corpus import Corpus, distinct
from stela_corpora.lines import split_lines
from stela_corpora.pieces import pieces_of

from stela_core.errors import StelaError

TEXTS = ["plain", "zwei\nZeilen", "", "한국의 역사", "\x00 \u2028 \x85 NUL and odd line ends"] * 200
DATA = "".join(json.dumps({"id": 1, "text": text}, ensure_ascii=False) + "\n" for text in TEXTS).encode()
COMPRESS = {
    ".jsonl": bytes,
    ".jsonl.gz": gzip.compress,
    ".jsonl.xz": lzma.compress,
    ".jsonl.zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("ending", COMPRESS)
def test_plain_and_compressed_hold_the_same(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"c{ending}"
    file.write_bytes(COMPRESS[ending](DATA))
    corpus = Corpus(file)
    assert list(corpus) == TEXTS
    assert corpus.position == corpus.size == file.stat().st_size


@pytest.mark.parametrize("ending", [".jsonl.gz", ".jsonl.xz", ".jsonl.zst"])
def test_parts_written_one_after_the_other(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"c{ending}"
    file.write_bytes(COMPRESS[ending](DATA) + COMPRESS[ending](DATA))
    assert list(Corpus(file)) == TEXTS + TEXTS


@pytest.mark.parametrize("ending", [".jsonl.gz", ".jsonl.xz", ".jsonl.zst"])
@pytest.mark.parametrize("damage", ["truncated", "changed"])
def test_damaged_files(tmp_path: Path, ending: str, damage: str) -> None:
    data = COMPRESS[ending](DATA)
    half = len(data) // 2
    # The start, which tells the kind of file, stays whole.
    changed = data[:16] + bytes(255 - byte for byte in data[16:half]) + data[half:]
    file = tmp_path / f"c{ending}"
    file.write_bytes(data[:-9] if damage == "truncated" else changed)
    with pytest.raises(StelaError, match="corrupt or truncated" if damage == "truncated" else "c[.]jsonl"):
        list(Corpus(file))


def test_text_of_another_name(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text('{"body": "a"}\n{"text": "b"}\n')
    with pytest.raises(
        StelaError, match=r':2 has no string "body"\. hint: .* with a string "body"; --skip-bad'
    ):
        list(Corpus(file, column="body"))


BAD = {
    b"{": "is not JSON",
    b"[1]": 'has no string "text"',
    b'{"txt": "a"}': 'has no string "text"',
    b'{"text": 3}': 'has no string "text"',
    b'{"text": "\xff"}': "is not UTF-8",
    b'{"text": "a\\ud800b"}': "lone surrogate",
    b"[" * 100_000: "is nested deeper than 32",
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_line_is_named_by_file_and_line(tmp_path: Path, bad: bytes) -> None:
    file = tmp_path / "c.jsonl"
    file.write_bytes(b'{"text": "a"}\n\n' + bad + b'\n{"text": "b"}')
    with pytest.raises(StelaError) as error:
        list(Corpus(file))
    assert error.value.message.startswith(f"{file}:3 ")
    assert BAD[bad] in error.value.message
    skipping = Corpus(file, skip_bad=True)
    assert list(skipping) == ["a", "b"]
    assert skipping.bad == 1


def test_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"text": "a"}\r\n{"text": "b"}\r\n')
    assert list(Corpus(file)) == ["a", "b"]


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for use in (list, lambda corpus: corpus.size):
        with pytest.raises(StelaError, match="does not exist"):
            use(Corpus(tmp_path / "none"))
        with pytest.raises(StelaError, match=r"is a folder|cannot be read"):
            use(Corpus(tmp_path))


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE", 1 << 20)
    with pytest.raises(StelaError, match="longer than 1 MiB"):
        list(split_lines([b"a" * 600_000] * 2))


@given(st.binary(max_size=60), st.integers(1, 7))
def test_lines_do_not_depend_on_chunks(data: bytes, size: int) -> None:
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    expected = data.split(b"\n")
    assert list(split_lines(chunks)) == (expected if expected[-1] else expected[:-1])


def test_names_of_corpora() -> None:
    paths = [
        Path(p) for p in ("en/wiki.jsonl.gz", "ko/wiki.jsonl", "wiki-2.jsonl.xz", "a.b.jsonl.zst", "plain")
    ]
    assert distinct(Corpus(path).name for path in paths) == ["wiki", "wiki-2", "wiki-2-2", "a.b", "plain"]


@given(st.text(alphabet="ab .\n。", max_size=300), st.integers(2, 40))
def test_pieces_make_up_the_text(text: str, limit: int) -> None:
    pieces = list(pieces_of(text, limit))
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces)


def test_where_a_text_is_cut() -> None:
    # The second half of 20 characters: after the line end, else the sentence end, else the space, else at 20.
    assert next(pieces_of("aaaaaaaaaa b. c\nd. e f g", 20)) == "aaaaaaaaaa b. c\n"
    assert next(pieces_of("aaaaaaaaaa b. c d e f g", 20)) == "aaaaaaaaaa b. "
    assert next(pieces_of("aaaaaaaaaa b c ddddddddd", 20)) == "aaaaaaaaaa b c "
    assert next(pieces_of("a" * 30, 20)) == "a" * 20
