"""docs/results.md from made-up runs: every section is written, and says what the numbers say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from stela_paper.experiment_files import FOLDER, copy_of
from stela_paper.results.page import SECTIONS, Subject, write_page
from stela_paper.results.reading import Run

from .made_up import MadeUp

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("docs")
    runs: dict[str, Run] = {name: MadeUp(Path(name)) for name in [*SECTIONS, "weights"]}
    transfers: dict[str, Run] = {"tiny-small": MadeUp(Path("transfer"))}
    write_page(runs, transfers, folder, "on nothing")
    assert len(list((folder / "results").glob("*.svg"))) == 5
    return (folder / "results.md").read_text("utf-8")


def test_all_experiments_are_told(page: str) -> None:
    for name in [*SECTIONS, "weights"]:
        assert f"`docs/experiments/{name}.toml`" in page
    assert "nan" not in page.lower().replace("nano", "")
    assert "None" not in page.replace("None that can be told", "")


def test_what_an_experiment_took_is_told_beside_it(page: str, tmp_path: Path) -> None:
    assert page.count("; its cells took 7 minutes. ") == page.count("`docs/experiments/")
    lines = '{"cell": "a", "seconds": 30}\n{"cell": "failed"}\n{"cell": "b", "seconds": 60}\n'
    (tmp_path / "timings.jsonl").write_text(lines)
    assert Run(tmp_path).minutes == 1.5


def test_what_beats_what_is_corrected_and_true(page: str) -> None:
    """In made-up runs `learned-text` alone is ahead as a strength, and the goals as weights."""
    assert page.count("Holm") >= 6
    ahead = "`learned-text` in English, `learned-text` in Chinese and `learned-text` in Korean"
    assert f"more than uniform: {ahead}; less: none." in page
    assert "English 0.10 [" in page, "the gain less EWD"
    assert "| EWD, with logits | 4.5" in page
    assert "0.0034 [0.0020, 0.0050]" in page, "sizes stand beside shares"


def test_the_paper_s_figures_stand_beside_ours(page: str) -> None:
    claims = page.partition("## The paper's claims")[2].partition("\n## ")[0]
    rows = [line for line in claims.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 10
    assert all(row.split(" | ")[1].strip(" |") for row in rows)
    assert "| Llama-3.2-1B | STELA | .938 / .953 | .976 / .972 | .950 / .954 |" in page
    assert "STELA 0.963" in claims
    assert "r = .351" in claims


def test_a_page_of_another_model_leaves_the_first_one_s_figures(tmp_path: Path) -> None:
    runs: dict[str, Run] = {name: MadeUp(Path(name)) for name in ("detection", "weights", "null")}
    write_page(runs, {}, tmp_path, "on nothing")
    before = (tmp_path / "results.md").read_text("utf-8")
    del runs["null"], runs["weights"]
    runs["transfer"] = MadeUp(Path("transfer"))
    other = write_page(runs, {}, tmp_path, "on little", Subject("big-one", "Big One 9B"))
    assert other.name == "results-big-one.md"
    text, after = other.read_text("utf-8"), (tmp_path / "results.md").read_text("utf-8")
    assert "`docs/experiments/detection.toml`" in text
    assert "`docs/experiments/null.toml`" not in text
    assert "| `learned-text`: expected gain by the last characters | 4.40: 0.80 [" in text
    assert "Marked by its own weights" not in text
    assert "`null.toml`" in text.partition("## Not run here")[2]
    assert (tmp_path / "results" / "big-one" / "detection.svg").exists()
    assert "](results/big-one/detection.svg)" in text
    assert "| the paper | `tiny` (6 M parameters) | [Big One 9B](results-big-one.md) |" in after
    assert "| the paper | [`tiny` (6 M parameters)](results.md) | Big One 9B |" in text
    assert "| Big One 9B, here, 25 tokens | STELA |" in after
    shared = after.partition("## Detection")[2].partition("<!-- paper's table -->")[0]
    assert shared == before.partition("## Detection")[2].partition("<!-- paper's table -->")[0]
    again = write_page(runs, {}, tmp_path, "on little", Subject("big-one", "Big One 9B"))
    assert again.read_text("utf-8") == text, "the same runs write the same page"


def test_one_experiment_again_leaves_the_other_sections(tmp_path: Path) -> None:
    whole: dict[str, Run] = {name: MadeUp(Path(name)) for name in ("detection", "tagset", "weights", "null")}
    page = write_page(whole, {}, tmp_path, "on nothing", Subject("big-one", "Big One 9B"))
    before, said = page.read_text("utf-8"), (tmp_path / "results" / "models.json").read_text("utf-8")
    write_page({"null": whole["null"]}, {}, tmp_path, "on nothing", Subject("big-one", "Big One 9B"))
    after = page.read_text("utf-8")
    assert after == before
    assert (tmp_path / "results" / "models.json").read_text("utf-8") == said


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_perplexity_is_measured_under_the_model_that_is_named(file: Path, tmp_path: Path) -> None:
    asked = tomllib.loads(file.read_text("utf-8")).get("metrics", [])
    reads = any(isinstance(one, dict) and one["name"] == "quality-perplexity" for one in asked)
    as_it_is = copy_of(file.stem, tmp_path / "new")
    assert as_it_is.read_bytes() == file.read_bytes()
    copy = copy_of(file.stem, tmp_path, 'a "folder"')
    assert (copy.read_bytes() != file.read_bytes()) == reads
    if reads:
        content = tomllib.loads(copy.read_text("utf-8"))
        assert {"name": "quality-perplexity", "model": 'a "folder"'} in content["metrics"]
