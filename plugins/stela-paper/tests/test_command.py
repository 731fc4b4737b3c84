"""``stela paper`` as its users run it: what was killed goes on, and the page says what was found."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from stela_paper.command import paper
from stela_paper.experiment_files import FOLDER, require_known, require_whole
from stela_paper.reported import REPORTED
from stela_paper.running import Request, names_for, run_paper, subject_of

import stela_core as stela

from .made_up import MadeUp

SMALL = ("--only", "decomposition", "--language", "en", "--texts", "4", "--workers", "1")


def invoke(registry: stela.Registry, *arguments: str) -> Result:
    return CliRunner().invoke(paper, arguments, obj=registry, prog_name="stela paper")


def test_pages_are_written_again_with_no_run(registry: stela.Registry, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(Path(__file__).parents[3] / "docs" / "results", docs / "results")
    done = invoke(registry, "pages", "--docs", str(docs))
    assert done.output.splitlines() == [str(docs / "results.md"), str(docs / "results-gemma-3-270m.md")]


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_shards.py::test_a_killed_run_goes_on_at_the_next_shard"
)
@pytest.mark.slow
def test_what_was_killed_goes_on_by_the_same_command(tmp_path: Path, registry: stela.Registry) -> None:
    runs, docs = tmp_path / "runs", tmp_path / "docs"
    asked = (*SMALL, "--runs", str(runs), "--docs", str(docs))
    command = [sys.executable, "-m", "stela_cli", "paper", *asked]
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


PUBLISHED = Path(__file__).parents[3] / "docs" / "results"


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--only", "decomposition", "--texts", "2"), "holds pages of results already"),
        ((), "holds pages of results already"),
        (("--force", "--only", "decomposition"), "run it without --only and with --data"),
        (("--force", "--language", "en", "--data", "."), "run it without --language;"),
        (("--force", "--texts", "10", "--data", "."), "run it without --texts;"),
        (("--force",), "run it with --data;"),
    ],
)
def test_published_pages_are_never_replaced_by_a_part(
    registry: stela.Registry, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    docs, runs = tmp_path / "docs", tmp_path / "runs"
    (docs / "results").mkdir(parents=True)
    shutil.copy(PUBLISHED / "models.json", docs / "results")
    (docs / "results.md").write_text("published")
    before = contents(docs)
    done = invoke(registry, *options, "--docs", str(docs), "--runs", str(runs))
    assert isinstance(done.exception, stela.StelaError), done.output
    assert told in f"{done.exception} {done.exception.hint}"
    assert contents(docs) == before
    assert not runs.exists(), "it is refused before anything is run"


def test_by_default_pages_lie_with_their_runs(
    registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice, where pages of the same command lie already; ``docs`` of the working folder stays as it was."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "results.md").write_text("published")
    for _ in range(2):
        done = invoke(registry, "--only", "null", "--language", "fr")
        assert (done.exit_code, done.exception) == (0, None), done.output
    assert (tmp_path / "runs" / "paper" / "docs" / "results.md").exists()
    assert (tmp_path / "docs" / "results.md").read_text() == "published"


def test_published_pages_stay_where_an_experiment_fails(registry: stela.Registry, tmp_path: Path) -> None:
    docs, runs = tmp_path / "docs", tmp_path / "runs"
    docs.mkdir()
    (docs / "results.md").write_text("published")
    request = Request(runs, languages=("fr",))
    with click.Context(paper, obj=registry) as context:
        run_paper(context, request, ["null"], (), docs)
    assert contents(docs) == {docs / "results.md": b"published"}
    assert (runs / "docs" / "results.md").exists()


def test_tables_of_a_page_are_not_written_of_a_short_run() -> None:
    run = MadeUp(Path("widths"))
    require_whole([run])
    run.experiment["texts"] = 10
    with pytest.raises(stela.StelaError, match="widths has 10 prompts; its experiment has 50"):
        require_whole([run])


def test_no_experiment_of_that_name(registry: stela.Registry, tmp_path: Path) -> None:
    told = invoke(registry, "--only", "dectection", "--runs", str(tmp_path / "runs"))
    assert isinstance(told.exception, stela.StelaError)
    assert 'no experiment is called "dectection"' in str(told.exception)
    assert 'did you mean "detection"?' in str(told.exception)
    assert not (tmp_path / "runs").exists()


def test_every_result_of_the_paper_has_its_experiment(registry: stela.Registry) -> None:
    """And its minutes are those of the page of Gemma."""
    require_known(one.experiment for one in REPORTED)
    assert len({one.name for one in REPORTED}) == len(REPORTED)
    kept = json.loads((PUBLISHED / "models.json").read_text("utf-8"))["gemma-3-270m"]["sections"]
    for one in REPORTED:
        assert one.minutes == (kept[one.experiment]["minutes"] if one.experiment in kept else None), one.name
    listed = invoke(registry, "--list").output.splitlines()
    for one, line in zip(REPORTED, listed[1:], strict=False):
        assert line.split()[0] == one.name
        assert f" {one.experiment} " in line


def test_a_table_is_run_by_its_number(registry: stela.Registry, tmp_path: Path) -> None:
    """Its experiment has no French, which ends it at once."""
    folders = ("--runs", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs"), "--language", "fr")
    done = invoke(registry, "--table", "2", "--table", "figure-3", *folders)
    assert done.exit_code == 0
    for name in ("tagset", "context-length"):
        assert f'{name}: the experiment has no language "fr"' in done.output
    unknown = invoke(registry, "--table", "figure-33")
    assert "figure-3" in str(unknown.exception)


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
