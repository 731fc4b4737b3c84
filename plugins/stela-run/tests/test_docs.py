"""The file of docs/experiments.md and those of docs/experiments/ are read, planned and run."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from stela_cli.main import run
from stela_run.plan.installed import with_installed_schemes
from stela_run.plan.plan import make_plan
from stela_run.plan.read import read_experiment

import stela_core as stela

DOCS = Path(__file__).parents[3] / "docs"
FILES = sorted((DOCS / "experiments").glob("*.toml"))

PAGE = (DOCS / "experiments.md").read_text(encoding="utf-8")
FIRST, WHOLE = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "example.toml"
    path.write_text(WHOLE, encoding="utf-8")
    return path


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_run.py::test_records_carry_what_is_needed_to_repeat_them"
)
@pytest.mark.slow
def test_example_of_the_page_runs(example: Path, tmp_path: Path) -> None:
    """On the shipped sample, fewer texts, one process."""
    folder = tmp_path / "out"
    small = ["--texts", "4", "--model", "tiny-small", "--executor", "local"]
    assert run(["run", str(example), "-o", str(folder), *small]) == 0
    for name in ("records.jsonl", "records.parquet", "scores.parquet", "texts.jsonl", "report.html"):
        assert (folder / name).stat().st_size > 0


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_run.py::test_records_carry_what_is_needed_to_repeat_them"
)
@pytest.mark.slow
def test_first_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its command; the last digits of the biases may be other ones on another machine."""
    monkeypatch.chdir(tmp_path)
    Path("first.toml").write_text(FIRST, encoding="utf-8")
    [command] = re.findall(r"^    stela (.*first\.toml.*)$", PAGE, re.MULTILINE)
    assert run(command.split()) == 0
    [shown] = re.findall(r"```\n(In .*?)```", PAGE, re.DOTALL)

    def told(output: str) -> list[list[str]]:
        sentence, table = output.split("\n model", 1)
        words = re.sub(r"[-+]?\d[\d.,]*", "N", sentence).split()
        return [words, *rows(f" model{table}")]

    def rows(output: str) -> list[list[str]]:
        return [re.sub(r"\[.*?\]", "", line).split()[:-1] for line in output.splitlines() if line.strip()]

    assert told(capsys.readouterr().out) == told(shown)


@pytest.mark.parametrize("name", ["attacks.md", "metrics.md", "judge.md"])
def test_line_of_the_page_stands_at_the_top_of_the_first_example(
    name: str, tmp_path: Path, registry: stela.Registry
) -> None:
    [line] = re.findall(r"```toml\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "first.toml").write_text(line + FIRST, encoding="utf-8")
    assert make_plan(registry, read_experiment(tmp_path / "first.toml", {}), None).evaluate


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """A data folder for languages of which no sample is shipped."""
    folder = tmp_path / "data"
    (folder / "prompts").mkdir(parents=True)
    line = json.dumps({"prompt": "One.", "continuation": "Two."}) + "\n"
    for code in read_experiment(DOCS / "experiments" / "languages.toml", {}).languages:
        (folder / "prompts" / f"{code}.jsonl.gz").write_bytes(gzip.compress(2 * line.encode()))
    return folder


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """A data folder for documents of human text, with prompts of the sample."""
    file = tmp_path / "texts" / "corpora" / "en" / "wikipedia.jsonl.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(gzip.compress(2 * (json.dumps({"text": "Three."}) + "\n").encode()))
    return tmp_path / "texts"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_experiments_of_the_paper_can_be_planned(
    path: Path, registry: stela.Registry, prompts: Path, articles: Path
) -> None:
    data = {"languages": prompts, "protocol-waterseeker": articles}.get(path.stem)
    plan = make_plan(registry, with_installed_schemes(registry, read_experiment(path, {"texts": 2})), data)
    assert plan.evaluate
    assert plan.experiment.about.endswith(("?", "."))


def test_there_is_a_file_for_each_of_the_paper_s_experiments() -> None:
    wanted = (
        "detection perplexity context-length tagset decomposition attacks dipper judge scaling freedom null"
    )
    assert set(wanted.split()) <= {path.stem for path in FILES}
