"""``stela lambda merge``: counting in parts and merging is counting at once."""

from __future__ import annotations

import json
from pathlib import Path

from stela_testing import run_cli

from .conftest import build_letters

LINES = ["a b", "a c", *["b c"] * 6, "c a b"]


def built(folder: Path, lines: list[str], k: int = 2, name: str = "wiki") -> Path:
    """A table of the lines, as one corpus."""
    folder.mkdir()
    corpus, table = folder / f"{name}.jsonl", folder / "t.json"
    corpus.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    made = build_letters(corpus, table, k)
    assert made.status == 0, made.err
    return table


def test_parts_of_a_corpus_are_the_whole(tmp_path: Path) -> None:
    parts = [built(tmp_path / str(n), LINES[n::3]) for n in range(3)]
    whole = built(tmp_path / "all", LINES)
    merged = tmp_path / "merged.json"
    done = run_cli("lambda", "merge", *parts, "-o", merged)
    assert (done.status, done.err) == (0, "")
    assert merged.read_bytes() == whole.read_bytes()
    assert f"{merged}: " in done.out
    assert "in 9 documents" in done.out
    [shown] = run_cli("lambda", "show", whole, "--json").json
    assert f"sha256 {shown['sha256']}" in done.out


def test_corpora_of_other_names_stay_apart(tmp_path: Path) -> None:
    one = built(tmp_path / "1", LINES[:4])
    two = built(tmp_path / "2", LINES[4:], name="news")
    assert run_cli("lambda", "merge", one, two, "-o", tmp_path / "m.json").status == 0
    [shown] = run_cli("lambda", "show", tmp_path / "m.json", "--json").json
    assert [corpus["name"] for corpus in shown["corpora"]] == ["news", "wiki"]


def test_mistakes(tmp_path: Path) -> None:
    one = built(tmp_path / "1", LINES)
    two = built(tmp_path / "2", LINES, k=3)
    output = tmp_path / "m.json"
    for tables, expected in (([one, two], "k = 2 and k = 3"), ([one, tmp_path / "none"], "does not exist")):
        done = run_cli("lambda", "merge", *tables, "-o", output)
        assert (done.status, output.exists()) == (2, False)
        assert expected in done.err
    output.write_text("mine")
    done = run_cli("lambda", "merge", one, "-o", output)
    assert (done.status, output.read_text()) == (2, "mine")
    assert run_cli("lambda", "merge", one, "-o", output, "--force").status == 0
    assert output.read_bytes() == one.read_bytes()
