"""A run whose negatives are human texts only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_cli.main import run


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_run.py::test_records_carry_what_is_needed_to_repeat_them"
)
@pytest.mark.slow
def test_human_negatives_alone(workplace: Path, tmp_path: Path) -> None:
    """The model writes no unmarked text, and what is left has the values of a run with all of them."""
    text = (workplace / "small.toml").read_text("utf-8").replace('metrics = ["vowels", "depth", "clock"]', "")
    text = text.replace('attacks = ["none", { name = "shout", times = 3 }]', "")
    (tmp_path / "all.toml").write_text(text, "utf-8")
    (tmp_path / "human.toml").write_text(f'negatives = "human"\n{text}', "utf-8")
    for name in ("all", "human"):
        options = ["--data", str(workplace), "--texts", "3", "--executor", "local"]
        assert run(["run", str(tmp_path / f"{name}.toml"), "-o", str(tmp_path / name), *options]) == 0
    everything, human = (records(tmp_path / name) for name in ("all", "human"))
    assert len(everything) == len(human) == 4
    for full, part in zip(everything, human, strict=True):
        assert any(name.endswith(":model") for name in full["values"])
        kept = {name: value for name, value in full["values"].items() if not name.endswith(":model")}
        assert part["values"] == kept
    cells = {
        name: {path.name for path in (tmp_path / name / "cells").glob("g-*.gz")} for name in ("all", "human")
    }
    assert cells["human"] < cells["all"]
    assert len(cells["all"] - cells["human"]) == 1
