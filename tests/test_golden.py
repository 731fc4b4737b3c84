"""The texts of tests/golden are found as they were, and are what the embedded model writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stela_testing import run_cli

from tests.marked import ANSWERS, FOLDER, golden, golden_answers

ROOT = Path(__file__).parents[1]
NAMES = sorted(file.stem for file in FOLDER.glob("*.jsonl"))
WEIGHED_BY_A_MODEL = {"ewd", "sweet"}
WITHOUT_A_MODEL = [name for name in NAMES if name not in WEIGHED_BY_A_MODEL]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the script writes today."""
    folder = tmp_path_factory.mktemp("golden")
    subprocess.run([sys.executable, "-m", "scripts.write_golden", folder], cwd=ROOT, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_A_MODEL)
def test_detection_says_what_it_said(name: str, tmp_path: Path) -> None:
    """The same numbers, and of a message the same bits."""
    texts = golden(name).texts
    profile, file = golden(name).write_profile(tmp_path / "p.stela"), tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps(one["record"]) + "\n" for one in texts), encoding="utf-8")
    found = run_cli("detect", "--profile", profile, file, "--json").json
    for one, now in zip(texts, found, strict=True):
        then = dict(one["detection"])
        assert now["verdict"] == then.pop("verdict") == "watermarked"
        assert now["z"] == pytest.approx(then.pop("z"), rel=1e-9)
        assert now["p_value"] == pytest.approx(then.pop("p_value"), rel=1e-6)
        if message := then.pop("message", None):
            assert now["message"]["hex"] == message["hex"] == one["record"]["message"]
            assert now["message"]["sure"] == message["sure"]
        assert not then


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.deep(stand_in="tests/test_golden.py::test_detection_says_what_it_said")
@pytest.mark.parametrize("name", NAMES)
def test_the_embedded_model_writes_them(name: str, written: Path) -> None:
    lines = (written / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    kept = golden(name)
    assert json.loads(lines[0]) == {"new": kept.new}
    for line, one in zip(lines[1:], kept.texts, strict=True):
        assert json.loads(line)["record"] == one["record"]
        assert json.loads(line)["detection"]["z"] == pytest.approx(one["detection"]["z"], rel=1e-9)


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.deep(stand_in="plugins/stela-audit/tests/test_presence.py::test_red_green_holds_without_a_mark")
def test_the_embedded_model_gives_these_answers(written: Path) -> None:
    assert json.loads((written / ANSWERS).read_text(encoding="utf-8")) == golden_answers()
    assert {file.name for file in written.iterdir()} == {file.name for file in FOLDER.iterdir()}
