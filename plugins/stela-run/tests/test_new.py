"""``stela new`` writes files that work as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from stela_cli.main import run


@pytest.mark.slow
@pytest.mark.deep(keep=["scheme"])
@pytest.mark.parametrize("kind", ["scheme", "tagger", "metric"])
def test_what_is_written_passes_its_contract(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", kind, "my-idea"]) == 0
    assert "pytest test_my_idea.py" in capsys.readouterr().out
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_idea.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    assert "failed" not in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_three_commands_answer_from_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line that ``stela new`` prints compares the new scheme, here with fewer texts."""
    monkeypatch.chdir(tmp_path)
    assert run(["new", "scheme", "word-length"]) == 0
    [line] = [one for one in capsys.readouterr().out.splitlines() if "compare" in one]
    few = [*line.replace("tiny", "tiny-small").split()[1:], "--texts", "4", "--length", "20"]
    assert run(few) == 0
    assert "word-length" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("kind", ["tagger", "metric"])
def test_what_is_written_is_registered(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", kind, "my-idea"]) == 0
    assert run(["--plugin", "my_idea.py", "plugins"]) == 0
    assert "my-idea" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("scheme kgw", "already"),
        ("scheme stela-core", "hide a module"),
        ("scheme class", "hide a module"),
        ("tagger Mine", "not a name"),
        ("metric ../x", "not a name"),
        ("metric roc", "already"),
        ("song x", "song"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    words: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", *words.split()]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test_my_idea.py").write_text("mine", encoding="utf-8")
    assert run(["new", "scheme", "my-idea"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["test_my_idea.py"]
