"""docs/results.md from made-up runs: every section is written, and says what the numbers say."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from stela_paper.experiment_files import FOLDER, copy_of
from stela_paper.results.grids import load, save
from stela_paper.results.page import SECTIONS, Subject, write_page, write_pages
from stela_paper.results.reading import Run
from stela_paper.results.words import leading

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
        assert f"`stela run docs/experiments/{name}.toml` (7 minutes)" in page
    assert "nan" not in page.lower().replace("nano", "")
    assert "None" not in page.replace("None of ", "")


def test_what_an_experiment_took_is_told_beside_it(tmp_path: Path) -> None:
    lines = '{"cell": "a", "seconds": 30}\n{"cell": "failed"}\n{"cell": "b", "seconds": 60}\n'
    (tmp_path / "timings.jsonl").write_text(lines)
    assert Run(tmp_path).minutes == 1.5


def test_summary_is_short_and_comes_first(page: str) -> None:
    summary = page.partition("**What was found**\n\n")[2].partition("\n\n")[0].splitlines()
    assert 4 <= len(summary) <= 8
    assert all(line.startswith("- ") for line in summary)
    assert summary[0].startswith(
        "- At equal mean bias (80 prompts a language), there is no measurable difference"
    )
    assert page.index("**What was found**") < page.index("\n## ")


def test_what_beats_what_is_corrected_and_true(page: str) -> None:
    """In made-up runs `learned-text` alone is ahead as a strength, and the goals as weights."""
    assert page.count("Holm") >= 6
    assert "`learned-text` beats KGW by z 0.70 in English, 0.70 in Chinese and 0.70 in Korean." in page
    assert "beats KGW" not in page.replace("`learned-text` beats KGW", "")
    assert "change z by 0.10 in English" in page, "the gain less EWD"
    assert "| EWD, with logits | 4.5" in page


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"kgw": ["1.00 [0.90, 1.00]"], "ewd": ["1.00 [0.90, 1.00]"]}, ["kgw", "ewd"]),
        (
            {"kgw": ["0.80 [0.70, 0.91]"], "ewd": ["0.95 [0.90, 1.00]"], "sweet": ["0.5 [0.4, 0.6]"]},
            ["ewd", "kgw"],
        ),
        ({"kgw": ["0.80 [0.70, 0.89]"], "ewd": ["0.95 [0.90, 1.00]"]}, ["ewd"]),
        ({"kgw": ["0.8 [0.7, 0.9]", "–"], "ewd": ["0.95 [0.91, 1.00]"], "sweet": ["–"]}, ["ewd", "sweet"]),
        ({"kgw": ["–"]}, ["kgw"]),
    ],
)
def test_only_what_no_interval_reaches_leads(values: dict[str, list[str]], expected: list[str]) -> None:
    assert leading(values) == expected


def test_the_summary_has_no_superlative_where_all_are_equal(page: str) -> None:
    """In made-up runs all rates are 1, so no scheme is called the best."""
    summary = page.partition("**What was found**\n\n")[2].partition("\n\n")[0]
    assert "At the paper's delta STELA is not found measurably more than KGW at 25 tokens." in summary
    for word in ("find most", "finds most", "fewest"):
        assert word not in summary


def test_figures_are_kept_beside_the_page(tmp_path: Path) -> None:
    """Sizes stand next to shares; an interval is two more columns; the page is made of the files."""
    runs: dict[str, Run] = {name: MadeUp(Path(name)) for name in ("detection", "weights", "attacks")}
    page = write_page(runs, {}, tmp_path, "on nothing")
    [header, first, *_] = (tmp_path / "results" / "detection.csv").read_text("utf-8").splitlines()
    assert 'size,"size, low","size, high"' in header
    assert "0.0034,0.0020,0.0050" in first
    assert load(tmp_path / "results" / "detection.csv")[0]["size"] == "0.0034 [0.0020, 0.0050]"
    before = page.read_text("utf-8")
    page.unlink()
    assert write_pages(tmp_path) == [page]
    assert page.read_text("utf-8") == before
    for link in re.findall(r"\]\((results/[^)]*)\)", before):
        assert (tmp_path / link).exists()


def test_rows_are_read_as_they_were_saved(tmp_path: Path) -> None:
    rows = [{"a": "0.1 [-0.2, 0.3]", "b, c": "x"}, {"a": "–", "b, c": "1"}]
    save(tmp_path / "rows.csv", rows)
    assert (tmp_path / "rows.csv").read_text("utf-8").splitlines()[1] == "0.1,-0.2,0.3,x"
    assert load(tmp_path / "rows.csv") == rows


def test_shipped_pages_are_what_the_kept_figures_say(tmp_path: Path) -> None:
    docs = Path(__file__).parents[3] / "docs"
    shutil.copytree(docs / "results", tmp_path / "results")
    pages = write_pages(tmp_path)
    assert {page.name for page in pages} == {"results.md", "results-gemma-3-270m.md"}
    for page in pages:
        assert page.read_text("utf-8") == (docs / page.name).read_text("utf-8"), "run: stela paper pages"
    table = "results/paper-table.csv"
    assert (tmp_path / table).read_bytes() == (docs / table).read_bytes()


def test_the_paper_s_figures_stand_beside_ours(page: str, tmp_path: Path) -> None:
    claims = page.partition("## The paper's claims")[2].partition("\n## ")[0]
    rows = [line for line in claims.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 10
    assert all(row.split(" | ")[1].strip(" |") for row in rows)
    assert "| STELA | 0.963 |" in page
    assert "r = .351" in claims
    write_page({"detection": MadeUp(Path("detection"))}, {}, tmp_path, "on nothing")
    of_paper = (tmp_path / "results" / "paper-table.csv").read_text("utf-8")
    assert "Llama-3.2-1B,not stated,STELA,.938,.953,.976,.972,.950,.954\n" in of_paper


def test_a_page_of_another_model_leaves_the_first_one_s_figures(tmp_path: Path) -> None:
    runs: dict[str, Run] = {name: MadeUp(Path(name)) for name in ("detection", "weights", "null")}
    write_page(runs, {}, tmp_path, "on nothing")
    kept = (tmp_path / "results" / "detection.csv").read_text("utf-8")
    before = (tmp_path / "results.md").read_text("utf-8")
    del runs["null"], runs["weights"]
    runs["transfer"] = MadeUp(Path("transfer"))
    other = write_page(runs, {}, tmp_path, "on little", Subject("big-one", "Big One 9B"))
    assert other.name == "results-big-one.md"
    text, after = other.read_text("utf-8"), (tmp_path / "results.md").read_text("utf-8")
    assert "docs/experiments/detection.toml`" in text
    assert "docs/experiments/null.toml`" not in text
    assert "| `learned-text`: expected gain by the last characters | 4.40: 0.80 [" in text
    assert "own strength and weights" not in text
    assert "`null.toml`" in text.partition("## Not run here")[2]
    assert (tmp_path / "results" / "big-one" / "detection.svg").exists()
    assert "](results/big-one/detection.svg)" in text
    assert "](results/big-one/detection.csv)" in text
    assert "| the paper | `tiny` (6 M parameters) | [Big One 9B](results-big-one.md) |" in after
    assert "[the paper's claims](results.md#the-papers-claims)" in text
    assert "| the paper |" not in text, "the first page has every model's answers"
    assert "Big One 9B,25,STELA," in (tmp_path / "results" / "paper-table.csv").read_text("utf-8")
    assert (tmp_path / "results" / "detection.csv").read_text("utf-8") == kept
    own = after.partition("## Detection")[2].partition("|  | the paper")[0]
    assert own == before.partition("## Detection")[2].partition("|  | the paper")[0]
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
