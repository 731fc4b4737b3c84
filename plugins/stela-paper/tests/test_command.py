"""``stela paper`` as its users run it: what was killed goes on, and the page says what was found."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from stela_paper.command import paper
from stela_paper.experiment_files import FOLDER, require_known
from stela_paper.running import names_for, subject_of

import stela_core as stela

SMALL = ("--only", "decomposition", "--language", "en", "--texts", "4", "--workers", "1")


def invoke(registry: stela.Registry, *arguments: str) -> Result:
    return CliRunner().invoke(paper, arguments, obj=registry, prog_name="stela paper")


def test_pages_are_written_again_with_no_run(registry: stela.Registry, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(Path(__file__).parents[3] / "docs" / "results", docs / "results")
    done = invoke(registry, "pages", "--docs", str(docs))
    assert done.output.splitlines() == [str(docs / "results.md"), str(docs / "results-gemma-3-270m.md")]


@pytest.mark.deep(stand_in="tests/runner/test_shards.py::test_a_killed_run_goes_on_at_the_next_shard")
@pytest.mark.slow
def test_what_was_killed_goes_on_by_the_same_command(tmp_path: Path, registry: stela.Registry) -> None:
    runs, docs = tmp_path / "runs", tmp_path / "docs"
    asked = (*SMALL, "--runs", str(runs), "--docs", str(docs))
    command = [sys.executable, "-m", "stela_core", "paper", *asked]
    begun = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while begun.poll() is None and not list(runs.glob("decomposition/cells/*.json.gz")):
        time.sleep(0.05)
    begun.kill()
    begun.wait()
    assert not docs.exists(), "it was killed before its end"
    kept = {file: file.stat().st_mtime_ns for file in runs.glob("decomposition/cells/*.json.gz")}
    done = invoke(registry, *asked)
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert kept
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    page = (docs / "results.md").read_text("utf-8")
    assert "`stela run docs/experiments/decomposition.toml` (" in page
    assert "`tiny`, 4 prompts in English only" in page
    assert "Cells that failed" not in page
    assert "results.md: 1 experiments" in done.output


def test_no_experiment_of_that_name(registry: stela.Registry, tmp_path: Path) -> None:
    told = invoke(registry, "--only", "dectection", "--runs", str(tmp_path / "runs"))
    assert isinstance(told.exception, stela.StelaError)
    assert 'no experiment is called "dectection"' in str(told.exception)
    assert 'did you mean "detection"?' in str(told.exception)
    assert not (tmp_path / "runs").exists()


def test_an_experiment_that_is_refused_leaves_the_others_be(registry: stela.Registry, tmp_path: Path) -> None:
    """It has no such language; its records, were there any, would be another experiment's."""
    folders = ("--runs", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs"))
    told = invoke(registry, "--only", "weights", "--only", "null", "--language", "fr", *folders)
    assert told.exit_code == 0
    assert told.output.count('has no language "fr"') == 2
    assert "Not run, but ready: `detection.toml`, " in (tmp_path / "docs" / "results.md").read_text("utf-8")


def test_experiments_of_a_page_are_shipped(tmp_path: Path) -> None:
    names = names_for(subject_of(None))
    require_known(names)
    assert {file.stem for file in FOLDER.glob("*.toml")} > set(names)
    (tmp_path / "Some Model").mkdir()
    other = subject_of(str(tmp_path / "Some Model"))
    assert (other.name, other.words) == ("some-model", "`Some Model`")
    assert set(names) - set(names_for(other)) == {"scaling"}
    (tmp_path / "Some Model" / "made.json").write_text('{"model": "Some Model 1B"}')
    assert subject_of(str(tmp_path / "Some Model")).words == "Some Model 1B"
