"""A comparison in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_cli.main import run
from stela_run.plan.read import read_experiment

MINE = """
import numpy as np
import stela_core as stela


class Length(stela.Weighting):
    name = "word-length"
    needs = frozenset({"text"})

    def weights(self, positions):
        return np.array([1.0 + min(len(text.split(" ")[-1]), 8) / 4 for text in positions.text])

    def mean(self, calibration):
        return 1.5


@stela.hookimpl
def stela_register_weightings():
    return Length
"""


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_scheme_of_a_file_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(MINE, encoding="utf-8")
    line = "compare kgw my.py:word-length --model tiny-small --texts 2 --length 10 --attack edits-delete=.3"
    assert run(line.split()) == 0
    out = capsys.readouterr()
    assert out.out.startswith("In English, ")
    assert "word-length" in out.out.splitlines()[0]
    assert "stela --plugin my.py run" in out.err
    assert run(line.split()) == 2
    assert "is there already" in capsys.readouterr().err
    experiment = read_experiment("runs/compare.toml")
    assert [(one.name, one.mean_bias) for one in experiment.schemes] == [("kgw", 1.0), ("word-length", 1.0)]
    assert [one.label for one in experiment.attacks] == ["none", "edits-delete(share=0.3)"]


@pytest.mark.deep(stand_in="plugins/stela-run/tests/test_expecting.py::test_a_run_marks_no_text_and_answers")
@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_schemes_are_set_to_the_same_surprisal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "compare kgw unigram --model tiny-small --texts 2 --length 10 --at surprisal=.05"
    assert run(line.split()) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "at the same surprisal" in told
    assert "surprisal " in told.partition("model language")[2]
    experiment = read_experiment("runs/compare.toml")
    assert [(one.name, one.surprisal) for one in experiment.schemes] == [("kgw", 0.05), ("unigram", 0.05)]


def test_what_the_run_refuses_leaves_no_file_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run(["compare", "kgw", "kgw", "--model", "tiny-small"]) == 2
        told = capsys.readouterr().err
        assert "give each its own label" in told
        assert "is there already" not in told
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("kgw --at divergence=x", "is not a strength"),
        ("kgw --at loss=1", "is not a strength"),
        ("kgw --language tlh", "default of language"),
        ("kgw nothere.py:x", "does not exist"),
        ("kgw --attack nothing=3", "nothing"),
    ],
)
def test_mistakes_are_one_line(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["compare", "--model", "tiny-small", *line.split()]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert "Traceback" not in told
    assert not Path("runs").exists()
