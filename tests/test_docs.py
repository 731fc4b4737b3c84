"""The code and the commands in the docs run."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stela_cli.main import run
from stela_models.cli.generate import generate
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import flat_ids, new_keys_are

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "plugins" / "_template"
KEY = 0x5EED
"""In place of the key that --public-key draws, so that each run generates the same text."""
DOCS = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
def test_commands_and_code_of_the_generating_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "generating.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    commands = re.findall(r"^stela .*$", page, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert "2 texts: 2 watermarked" in capsys.readouterr().out
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) == 4
    for code in programs:
        exec(code, {})
    options = set(re.findall(r"`(--[a-z-]+)", page))
    known = {name for option in generate.params for name in option.opts}
    assert options - {"--prompt"} <= known
    assert options >= {"--chat", "--system", "--top-p", "--top-k", "--temperature"}


@pytest.mark.deep(stand_in="test_code_of_the_pages_marks_and_finds")
def test_weighting_of_the_docs_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's file and commands, as they stand: equal mean bias, and most texts of both are found."""
    page = (ROOT / "docs" / "writing-a-scheme.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    weighting, _ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(weighting.splitlines()) <= 25
    [prompts] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    Path("content.py").write_text(weighting, encoding="utf-8")
    Path("prompts.jsonl").write_text(prompts, encoding="utf-8")
    commands = re.findall(r"^stela .*$", page, re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    biases = [float(bias) for bias in re.findall(r"8 texts, mean bias (\S+)", out)]
    assert biases == pytest.approx([1.5, 1.5], rel=0.05)
    found = [int(marked) for marked in re.findall(r"8 texts: (\d) watermarked; median z", out)]
    assert len(found) == 2
    assert min(found) >= 6


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
def test_detecting_page(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The page's commands in a shell's order, with its pipe, and its Python block, as they stand."""
    page = (ROOT / "docs" / "detecting.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    Path("texts/a.md").write_text(ENGLISH, encoding="utf-8")
    Path("essays.csv").write_text(f'id,body\n1,"{ENGLISH}"\n', encoding="utf-8")
    new = "profile new --scheme kgw --model tiny --public-key -o p.stela"
    new_keys_are(monkeypatch, KEY)
    assert run(new.split()) == 0
    commands = re.findall(r"^stela .*$", page, re.MULTILINE)
    assert len(commands) == 7
    statuses = []
    for command in commands:
        *before, last = [shlex.split(part.split("#")[0])[1:] for part in command.split("|")]
        for arguments in before:
            capfd.readouterr()
            assert run(arguments) == 0
            stdin = io.BytesIO(capfd.readouterr().out.encode())
            monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": stdin})())
        statuses.append(run(last))
        if statuses == [0, 0]:
            shown = capfd.readouterr().out
    assert statuses == [0, 0, 0, 0, 0, 0, 1]
    [told] = re.findall(r"```\n( text .*?)```", page, re.DOTALL)
    # Numbers may differ between processors.
    beginnings = [[line.split()[:2] for line in table.splitlines()] for table in (shown, told)]
    assert beginnings[0][-3:] == beginnings[1]
    Path("profiles").mkdir()
    shutil.copy("p.stela", "profiles/alice.stela")
    assert run(new.replace("kgw", "unigram").replace("p.stela", "profiles/bob.stela").split()) == 0
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(example, {})
    assert (
        "Attribution(insufficient text, alice.stela, p=1, best of 2 marks tested)" in capfd.readouterr().out
    )
    assert "<div" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.deep(stand_in="test_code_of_the_pages_marks_and_finds")
def test_scheme_of_the_docs_marks_by_content_and_counts_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "writing-a-scheme.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("both.py").write_text("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
    # One key: under a few the text is too short to have both kinds of words.
    Path("key.txt").write_text("0123456789abcdef", encoding="ascii")
    common = ["--plugin", "both.py", "--profile", "b.stela", "--key-file", "key.txt", "--json"]
    new = "profile new --scheme by-content --tagger penn --model tiny --key-file key.txt -o b.stela"
    assert run(["--plugin", "both.py", *new.split()]) == 0
    capsys.readouterr()
    assert run(["generate", *common, "--model", "tiny", "--prompt", ENGLISH, "-o", "o.jsonl"]) == 0
    assert set(json.loads(capsys.readouterr().out)["weights"]) == {None, 0.5, 1.5}
    assert run(["detect", *common, "--tokens", "o.jsonl"]) == 0
    assert {token["weight"] for token in json.loads(capsys.readouterr().out)["tokens"]} == {None, 1.0}


@pytest.mark.parametrize(
    ("page", "scheme", "tagger"),
    [
        ("writing-a-scheme", "by-content", "penn"),
        ("writing-a-tagger", "stela", "eo"),
        ("writing-a-mark", "toss", None),
    ],
)
def test_code_of_the_pages_marks_and_finds(
    tmp_path: Path, page: str, scheme: str, tagger: str | None
) -> None:
    """Without a model: the first block is the plugin, and the second one, too, where it is no test."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text("utf-8"), re.DOTALL)
    code, table = tmp_path / "code.py", None
    code.write_text("".join(blocks[: 2 if scheme == "by-content" else 1]), encoding="utf-8")
    if tagger == "eo":
        treebank = shutil.copy(TEMPLATE / "stela_template" / "treebank.conllu", tmp_path)
        table = tmp_path / "eo.json"
        assert run(["lambda", "build", "--conllu", str(treebank), "--k", "2", "-o", str(table)]) == 0
    registry = stela.create_registry([code])
    mark = stela.create(
        scheme,
        model="tiny",
        tagger=tagger,
        table=table,
        key=7,
        delta=None if tagger is None else 2,
        registry=registry,
    )
    [marked] = mark.detect_ids([flat_ids(mark)])
    assert marked.verdict == "watermarked"
    [other] = mark.detect_ids([list(range(100, 180))])
    assert other.verdict == "no watermark found"


def run_all(page: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a page's commands print, one after the other in this folder."""
    for command in re.findall(r"^stela .*$", page, re.MULTILINE):
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def pytest_of(file: str) -> str:
    """What pytest prints of a file of this folder, all of whose tests pass."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.deep(stand_in="test_code_of_the_pages_marks_and_finds")
def test_tagger_of_the_docs_marks_finds_and_holds_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "writing-a-tagger.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    [code, tests] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    Path("eo.py").write_text(code, encoding="utf-8")
    Path("test_eo.py").write_text(tests, encoding="utf-8")
    shutil.copy(TEMPLATE / "stela_template" / "treebank.conllu", tmp_path)
    assert "watermarked" in run_all(page, capsys)
    assert "passed" in pytest_of("test_eo.py")


@pytest.mark.deep(stand_in="plugins/_template/tests/test_template.py::TestTemplate")
def test_template_copied_and_renamed_is_a_plugin(tmp_path: Path) -> None:
    copy = shutil.copytree(TEMPLATE, tmp_path / "stela-eo", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "stela_template").rename(copy / "stela_eo")
    for file in (*copy.rglob("*.py"), copy / "pyproject.toml"):
        text = file.read_text(encoding="utf-8").replace("Template", "Eo").replace("template", "eo")
        file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "tests"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    listed = subprocess.run(
        [sys.executable, "-m", "stela_cli", "--plugin", "stela_eo/__init__.py", "plugins", "--json"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"tagger", "eo", "ok"} <= set(
        next(r for r in json.loads(listed.stdout) if r["name"] == "eo").values()
    )


@pytest.mark.deep(stand_in="test_code_of_the_pages_marks_and_finds")
def test_mark_of_the_docs_marks_finds_and_holds_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "writing-a-mark.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    [code, tests, law] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    Path("toss.py").write_text(code, encoding="utf-8")
    Path("test_toss.py").write_text(tests, encoding="utf-8")
    assert len(re.findall(r"^stela .*$", page, re.MULTILINE)) == 3
    assert "watermarked" in run_all(page, capsys)
    assert "7 passed" in pytest_of("test_toss.py")
    exec(law, scope := {})
    assert scope["Signs"]().least_p(np.ones(10)) == pytest.approx(math.exp(-5))
