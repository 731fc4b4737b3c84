from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from stela_testing import run_cli

from .conftest import PLUGIN, build_letters


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "wiki.jsonl"
    lines = ["a b", "a c"] + ["b c"] * 6
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in lines))
    return file


def test_build_and_show(tmp_path: Path, corpus: Path) -> None:
    table = tmp_path / "t.json"
    built = build_letters(corpus, table)
    assert (built.status, built.err) == (0, "")
    digest = sha256(table.read_bytes()).hexdigest()
    assert built.out.splitlines() == [
        f"{table}: 2 contexts of k = 2, 16 tags in 8 documents",
        "mean over types 0.5000, over tokens 0.2500",
        f"sha256 {digest}",
    ]
    [shown] = run_cli("lambda", "show", table, "--json", "--top", 1).json
    assert shown["mean_over_types"] == 0.5
    assert shown["mean_over_tokens"] == 0.25
    assert shown["contexts"] == 2
    assert shown["corpora"] == [{"name": "wiki", "documents": 8, "tags": 16, "ngrams": 3}]
    assert shown["top"] == [{"context": ["a"], "lambda": 1.0, "count": 2}]
    assert shown["bottom"] == [{"context": ["b"], "lambda": 0.0, "count": 6}]
    assert shown["sha256"] == digest
    [common] = run_cli("lambda", "show", table, "--json", "--min-count", 3).json
    assert (
        [entry["count"] for entry in common["top"]] == [entry["count"] for entry in common["bottom"]] == [6]
    )
    text = run_cli("lambda", "show", table).out
    for part in ("letters", "wiki", digest, "highest", "lowest", "0.5000", "0.2500"):
        assert part in text


def test_same_stem_gets_two_names(tmp_path: Path, corpus: Path) -> None:
    table = tmp_path / "t.json"
    twice = ("--corpus", corpus, "--corpus", corpus)
    assert (
        run_cli(
            "lambda", "build", "--plugin", PLUGIN, "--tagger", "letters", *twice, "--k", 2, "-o", table
        ).status
        == 0
    )
    [shown] = run_cli("lambda", "show", table, "--json").json
    assert [c["name"] for c in shown["corpora"]] == ["wiki", "wiki-2"]


@pytest.mark.slow
def test_bad_input_is_one_line_and_leaves_the_table_alone(tmp_path: Path, corpus: Path) -> None:
    table = tmp_path / "t.json"
    table.write_text("kept")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "a b"}\n{"txt": "a"}\n')
    build = ("lambda", "build", "--plugin", PLUGIN, "--force")
    cases = [
        (("--tagger", "leters", "--corpus", corpus, "--k", 2, "-o", table), 'did you mean "letters"?'),
        (("--tagger", "letters:x", "--corpus", corpus, "--k", 2, "-o", table), 'no model "x"'),
        (("--tagger", ":x", "--corpus", corpus, "--k", 2, "-o", table), "names no tagger"),
        (("--tagger", "letters", "--corpus", bad, "--k", 2, "-o", table), f"{bad}:2 "),
        (("--tagger", "letters", "--corpus", tmp_path / "no", "--k", 2, "-o", table), "does not exist"),
        (("--tagger", "letters", "--corpus", corpus, "--k", 9, "-o", table), "--k"),
        (("--tagger", "letters", "--corpus", corpus, "--k", 3, "-o", table), "no document has 3 tags"),
        (("--tagger", "letters", "--corpus", corpus, "--k", 2, "-o", tmp_path / "no" / "t"), "no folder"),
    ]
    for arguments, expected in cases:
        outcome = run_cli(*build, *arguments)
        assert (outcome.status, outcome.out) == (2, ""), arguments
        [line] = outcome.err.splitlines()
        assert line.startswith("error: ")
        assert expected in line
    assert table.read_text() == "kept"
    outcome = run_cli("lambda", "show", table)
    assert outcome.status == 2
    assert "is not JSON" in outcome.err
    left_out = run_cli(*build, "--tagger", "letters", "--corpus", bad, "--k", 2, "-o", table, "--skip-bad")
    assert left_out.status == 0
    assert left_out.err == "note: left out 1 bad line of bad\n"


@pytest.mark.slow
def test_workers_load_the_local_plugin(tmp_path: Path, corpus: Path) -> None:
    """As from a shell: a script, a relative plugin file, two processes; equal bytes."""
    for workers in ("1", "2"):
        arguments = ["--tagger", "letters", "--corpus", corpus.name, "--k", "2", "-o", f"{workers}.json"]
        done = subprocess.run(
            [
                sys.executable, "-c", "from stela_cli.main import main; main()",
                "lambda", "build", "--plugin", os.path.relpath(PLUGIN, tmp_path),
                *arguments, "--workers", workers,
            ],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()
