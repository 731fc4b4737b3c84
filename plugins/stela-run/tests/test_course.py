"""The course of a run: its plan, its progress text by text, its log, its clock."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stela_cli.main import run
from stela_run.cells import generating
from stela_run.cells.marks import Marks
from stela_run.log import Log
from stela_run.plan.plan import Plan, make_plan
from stela_run.plan.read import read_experiment
from stela_run.progress import Progress, note, steps_of
from stela_run.run import run_experiment

import stela_core as stela


@pytest.fixture
def plan(mine: stela.Registry, workplace: Path) -> Plan:
    experiment = read_experiment(workplace / "small.toml", {"lengths": [8], "texts": 4})
    return make_plan(mine, experiment, workplace)


def command(workplace: Path, *options: str) -> list[str]:
    plugin = ["--plugin", str(workplace / "mine.py")]
    return [*plugin, "run", str(workplace / "small.toml"), "--data", str(workplace), *options]


def test_a_dry_run_prints_the_plan_and_does_nothing(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command(workplace, "-o", str(tmp_path / "out"), "--dry-run")) == 0
    out = capsys.readouterr().out
    assert not (tmp_path / "out").exists()
    assert len(re.findall(r"^ *generate ", out, re.MULTILINE)) == 3, "unmarked, kgw, stela"
    assert len(re.findall(r"^ *measure ", out, re.MULTILINE)) == 4
    # 6 texts of 28 tokens three times, and two pilots of 6 texts for the mean bias;
    # at each length 6 marked tests, and 6 + 6 unmarked ones under two keys.
    tokens = 3 * 6 * 28 + 2 * 6 * 28
    tests = 4 * 2 * (6 + 2 * 12)
    assert f"3 cells to generate (at most {tokens} tokens), 4 to measure ({tests} tests of texts)" in out


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_progress_counts_texts_and_not_only_cells(
    mine: stela.Registry, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches of 3 of 4 texts, a shard each: three texts of a cell are told before the cell is done."""
    monkeypatch.setattr("stela_run.progress.INTERVAL", 0.001)
    noted: list[int] = []
    monkeypatch.setattr("stela_run.cells.job.note", lambda *a: (noted.append(a[3]), note(*a)))
    told: list[int] = []
    run_experiment(mine, plan, tmp_path / "r", advance=told.append)
    generate = plan.generate[0]
    pilots = [cell for cell in plan.generate if cell.entry.piloted]
    assert len(pilots) == 1, "of two rounds of 4 texts"
    assert sum(told) == steps_of(plan) == 4 * len(plan.generate) + 4 * len(plan.evaluate) + 8
    assert all(steps > 0 for steps in told)
    assert noted[:8] == [1, 2, 3, 4, 5, 6, 7, 8], "the pilot, before anything else"
    assert noted[8:12] == [1, 2, 3, 1], generate
    assert not (tmp_path / "r" / "progress").exists()


def test_notes_of_workers_are_counted_once(plan: Plan, tmp_path: Path) -> None:
    first, second = plan.generate[:2]
    told: list[int] = []
    progress = Progress(plan, tmp_path, told.append, Log(tmp_path))
    progress.notes.mkdir()
    note(progress.notes, first.id, "0", 3)
    note(progress.notes, second.id, "0", 90)
    note(progress.notes, second.id, "1", 9)
    (progress.notes / "stranger").write_text("x")
    assert sorted(progress._show()) == sorted([f"{first.id} 3 of 4 texts", f"{second.id} 99 of 4 texts"])
    progress.done(first.id, 1.0)
    note(progress.notes, second.id, "0", 1)  # begun anew
    progress._show()
    progress.done(second.id, None, "it broke")
    assert sum(told) == 8
    assert all(steps > 0 for steps in told)
    lines = (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()
    where = f"2/{len(plan.cells)} cells, 8 of {steps_of(plan)} texts"
    assert lines[-1].endswith(f"{where}: {second.id} failed: it broke")


def test_a_worker_that_sees_no_folder_is_silent(tmp_path: Path) -> None:
    note(None, "cell", "0", 1)
    note(tmp_path / "elsewhere", "cell", "0", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_the_log_holds_every_cell_and_stderr_little(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command(workplace, "-o", str(tmp_path / "out"), "--texts", "2")) == 0
    lines = (tmp_path / "out" / "run.log").read_text(encoding="utf-8").splitlines()
    cells = [path.name.removesuffix(".json.gz") for path in (tmp_path / "out" / "cells").glob("*.json.gz")]
    assert len(cells) == 7
    for cell in cells:
        told = re.compile(rf" \d/7 cells, \d+ of \d+ texts: {re.escape(cell)} in [\d.]+ s$")
        assert any(told.search(line) for line in lines)
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d ", line) for line in lines)
    said = capsys.readouterr().err.splitlines()
    assert "3 cells to generate, 4 to measure" in said[0]
    assert len(said) < len(lines)


def test_lines_of_a_log_stay_lines(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.tell("one\ntwo \ud83d\r\x1b[31m")
    [line] = (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()
    assert line.endswith("one two \\ud83d \\x1b[31m")


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_no_profile_is_built_while_generation_is_timed(
    mine: stela.Registry, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock where a batch takes 1 s and a profile 1,000, shards take as many seconds as batches."""
    now = 0.0
    made, generate = Marks.watermark, generating.generate

    def watched(*arguments: Any, **named: Any) -> Any:
        nonlocal now
        now += 1000
        return made(*arguments, **named)

    def batches(*arguments: Any, **named: Any) -> Iterator[Any]:
        nonlocal now
        for batch in generate(*arguments, **named):
            now += 1
            yield batch

    class Clock:
        @staticmethod
        def perf_counter() -> float:
            return now

    monkeypatch.setattr(Marks, "watermark", watched)
    monkeypatch.setattr(generating, "generate", batches)
    monkeypatch.setattr(generating, "time", Clock)
    run_experiment(mine, plan, tmp_path / "r")
    assert now > 1000
    timings = [json.loads(line) for line in (tmp_path / "r" / "timings.jsonl").read_text().splitlines()]
    timed = [one["seconds"] for one in timings if "seconds_per_token" in one]
    assert len(timed) == len(plan.generate)
    assert set(timed) == {2.0}, "two shards of a batch each"


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_kept_going_in_spite_of_mistakes(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The attack's file is not there: its cells fail, the others do not."""
    text = (workplace / "small.toml").read_text(encoding="utf-8")
    text = text.replace('{ name = "shout", times = 3 }', '{ name = "wordnet", path = "none.zip" }')
    text = text.replace("lengths = [10, 20]", "lengths = [8]").replace("mean_bias", "delta")
    (tmp_path / "it.toml").write_text(text, encoding="utf-8")
    base = [
        "--plugin",
        str(workplace / "mine.py"),
        "run",
        str(tmp_path / "it.toml"),
        "--data",
        str(workplace),
    ]
    base += ["--texts", "2", "-o", str(tmp_path / "out")]
    assert run(base) == 2
    assert not (tmp_path / "out").exists()
    assert run([*base, "--keep-going"]) == 1
    said = capsys.readouterr().err
    assert "none.zip" in said
    assert "2 of 4 cells failed" in said
