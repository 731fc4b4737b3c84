"""Folders that version 0.2 wrote, where a small cell is one file: they are reported, and gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from stela_cli.main import run
from stela_run.cells.outcome import columns_of
from stela_run.cells.results import Strength
from stela_run.report.read import read_run
from stela_run.report.write import write_report

OLD = Path(__file__).parent / "run-0.2.zip"
"""Three texts of the small experiment."""

KEPT = ("records.jsonl", "scores.parquet", "texts.jsonl", "summary.csv", "summary.md")


@pytest.fixture
def older(tmp_path: Path) -> Path:
    with ZipFile(OLD) as file:
        file.extractall(tmp_path / "older")
    return tmp_path / "older"


def resume(workplace: Path, folder: Path) -> None:
    file = str(workplace / "small.toml")
    options = ["-o", str(folder), "--data", str(workplace), "--texts", "3", "--resume"]
    assert run(["--plugin", str(workplace / "mine.py"), "run", file, *options]) == 0


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [{**json.loads(line), "versions": {}, "commit": None} for line in lines]


def test_it_opens_in_the_report(older: Path) -> None:
    before = (older / "summary.md").read_bytes()
    write_report(older)
    assert (older / "summary.md").read_bytes() == before
    examples = list(read_run(older).examples())
    assert [place.label for place, _ in examples] == ["kgw", "stela"]
    for _, measured in examples:
        assert measured.example
        assert columns_of(measured.test or ())["key"]
        assert measured.beside is not None
        assert measured.beside["human"] is not None


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_finished_one_is_gone_on_with(workplace: Path, older: Path) -> None:
    """Nothing is made again, and the files put together of its cells are the same bytes."""
    before = {name: (older / name).read_bytes() for name in KEPT}
    cells = {path: path.stat().st_mtime_ns for path in (older / "cells").iterdir()}
    resume(workplace, older)
    assert {path: path.stat().st_mtime_ns for path in (older / "cells").iterdir()} == cells
    for name, data in before.items():
        assert (older / name).read_bytes() == data, name


@pytest.mark.deep(stand_in="test_a_finished_one_is_gone_on_with")
@pytest.mark.slow
def test_what_it_lacks_is_measured_on_its_texts(workplace: Path, older: Path) -> None:
    before = records(older), (older / "scores.parquet").read_bytes()
    [missing] = (older / "cells").glob("e-*-kgw-none-*.json.gz")
    missing.unlink()
    resume(workplace, older)
    found = [{k: v for k, v in record.items() if k != "texts_made_with"} for record in records(older)]
    assert (found, (older / "scores.parquet").read_bytes()) == before
    assert len(list((older / "cells").glob("e-*/*.json.gz"))) == 1, "one batch, one shard"


def test_a_pilot_of_before_calls_its_value_delta() -> None:
    assert Strength.of({"delta": 1.5}) == Strength.of({"value": 1.5})
    assert Strength.of({"value": 1.5}).value == 1.5
