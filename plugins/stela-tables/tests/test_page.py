"""The commands of docs/tables.md run, on small corpora of the names they use."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import shlex
from pathlib import Path

import pytest
import zstandard
from stela_cli.main import run
from stela_tables.file import read_table
from stela_testing.texts import ENGLISH, KOREAN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-tables/tests/test_build.py::test_equal_bytes_for_any_number_of_workers"
    ),
]

PAGE = Path(__file__).parents[3] / "docs" / "tables.md"

WORDS = "".join(f"{n}\tw\tw\t{tag}\t_\t_\t0\troot\t_\t_\n" for n, tag in ((1, "NOUN"), (2, "VERB"))) + "\n"


def test_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for library in ("datasets", "kiwipiepy", "spacy"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    korean = json.dumps({"text": KOREAN}).encode() + b"\n"
    Path("news.jsonl.gz").write_bytes(gzip.compress(korean))
    Path("wiki.jsonl.gz").write_bytes(gzip.compress(korean))
    Path("wiki.jsonl.zst").write_bytes(zstandard.compress(korean))
    for part in ("train", "dev"):
        Path(f"en_ewt-ud-{part}.conllu.xz").write_bytes(lzma.compress(WORDS.encode()))
    Path("data/news").mkdir(parents=True)
    english = "".join(json.dumps({"body": f"{ENGLISH} Number {n}."}) + "\n" for n in range(80))
    Path("data/news/news.jsonl").write_text(english)
    commands = re.findall(r"^    stela (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    here = [shlex.split(c) for c in commands if "hf:wikimedia" not in c and "--executor" not in c]
    assert len(here) == 5
    models = {"M": "tiny-small", "8": "2"}
    for words in here:
        command = [models.get(word, word) for word in words]
        assert run(command) == 0, capsys.readouterr().err
    assert [c.name for c in read_table("ud.json").corpora] == ["en_ewt"]
    assert [(c.name, c.documents) for c in read_table("news.json").corpora] == [("news", 50)]
    assert read_table("ko.json").k == 4
