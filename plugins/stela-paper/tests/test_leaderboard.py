"""The page of submitted runs is made of its files, and a stranger's words are only words on it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from stela_paper.command import paper
from stela_paper.experiment_files import FOLDER
from stela_paper.leaderboard import SHOWN, Entry, differences, entries_of, leaderboard, write_leaderboard
from stela_run.plan.read import read_experiment
from stela_run.submission.schema import Submission, to_bytes

import stela_core as stela
from stela_core.printable import one_line

DOCS = Path(__file__).parents[3] / "docs"


def submitted(protocol: str = "protocol-waterseeker", **fields: Any) -> Submission:
    experiment = read_experiment(str(FOLDER / f"{protocol}.toml"), {}).model_dump(mode="json")
    record = {"model": "tiny", "language": "en", "scheme": "kgw", "label": "kgw delta=2.0", "seed": 0}
    record |= {"attack": "none", "texts": 5, "temperature": 1.0, "length": 400, "profile_sha256": "0" * 64}
    values = {"f1@1e-06:windows": 0.75, "tpr@p<=0.01": 0.5, "perplexity": 120.0}
    number = {
        name: {"value": value, "low": value / 2, "high": value, "n": 5} for name, value in values.items()
    }
    records = [{**record, "values": number, **fields}]
    worse = {**records[0], "attack": "edits-swap", "values": {"tpr@p<=0.01": {"value": 0.25}}}
    content = {"digest": "d", "experiment": experiment, "commit": "a" * 40, "versions": {"stela-core": "1.2"}}
    return Submission.model_validate({**content, "records": [*records, worse]})


def test_the_page_is_made_of_its_files(tmp_path: Path) -> None:
    page = tmp_path / "leaderboard.md"
    page.write_bytes((DOCS / "leaderboard.md").read_bytes())
    (tmp_path / "leaderboard").mkdir()
    for file in (DOCS / "leaderboard").glob("*.json"):
        (tmp_path / "leaderboard" / file.name).write_bytes(file.read_bytes())
    assert write_leaderboard(tmp_path).read_bytes() == (DOCS / "leaderboard.md").read_bytes()


def test_each_protocol_has_its_columns() -> None:
    assert set(SHOWN) == {file.stem for file in FOLDER.glob("protocol-*.toml")}


def test_a_row_has_values_intervals_and_its_source() -> None:
    page = leaderboard([Entry("one.json", "protocol-waterseeker", submitted())])
    assert "| tiny (1): en, 400 tokens, 5 texts | kgw delta=2.0 | 0.750 [0.375, 0.750] |  |" in page
    assert max(line.count(" | ") for line in page.splitlines()) == 6, "seven columns"
    assert "0.250 (edits-swap) |" in page
    assert (
        "1. [one.json](leaderboard/one.json): `stela run docs/experiments/protocol-waterseeker.toml" in page
    )
    assert "commit `aaaaaaaaaaaa`" in page
    assert "other than" not in page


def test_what_differs_from_the_protocol_is_named() -> None:
    run = submitted()
    run.experiment["texts"] = 5
    run.experiment["temperature"] = 0.5
    entry = Entry("one.json", "protocol-waterseeker", run)
    assert differences(entry) == ["texts", "temperature"]
    assert "; other than the protocol's: texts, temperature" in leaderboard([entry])


def test_a_strangers_words_are_no_markup() -> None:
    run = submitted(model="<script>|a\n# b", label="[x](http://evil) `c`")
    page = leaderboard([Entry("one.json", "protocol-waterseeker", run)])
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert len({line.count("|") for line in rows}) == 1
    assert "<script" not in page
    assert not re.search(r"\[x\]\(", page)
    assert not any(line.startswith("# b") for line in page.splitlines())


HOSTILE = [
    "tiny; curl evil",
    "$(id)",
    "a b",
    "--plugin=x.py",
    "x\nid",
    "|id",
    "a&b",
    "'id'",
    "`id`",
    "a_b`id`",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_strangers_names_are_words_of_the_command(tmp_path: Path, name: str) -> None:
    run = submitted()
    run.experiment["models"] = ["my_model", name]
    (tmp_path / "one.json").write_bytes(to_bytes(run))
    with pytest.raises(stela.StelaError, match=r"one.json.*may mean something to a shell"):
        entries_of(tmp_path)
    if "`" not in name:
        page = leaderboard([Entry("one.json", "protocol-waterseeker", run)])
        words = shlex.split(page.split("`")[-4])
        assert words[3:7] == ["--model", "my_model", "--model", one_line(name)]
    run.experiment["models"] = ["org/my_model-1.5@main"]
    (tmp_path / "one.json").write_bytes(to_bytes(run))
    assert len(entries_of(tmp_path)) == 1
    (tmp_path / "one.json").rename(tmp_path / "x](y) z.json")
    with pytest.raises(stela.StelaError, match="may mean something"):
        entries_of(tmp_path)


def test_the_command(registry: stela.Registry, tmp_path: Path) -> None:
    (tmp_path / "leaderboard").mkdir()
    (tmp_path / "leaderboard" / "one.json").write_bytes(to_bytes(submitted()))
    (tmp_path / "leaderboard.md").write_text(
        "# It\n<!-- leaderboard -->\n<!-- end of leaderboard -->\nend\n", "utf-8"
    )
    done = CliRunner().invoke(paper, ["leaderboard", "--docs", str(tmp_path)], obj=registry)
    assert done.exit_code == 0, done.output
    text = (tmp_path / "leaderboard.md").read_text("utf-8")
    assert "## WaterSeeker" in text
    assert text.endswith("<!-- end of leaderboard -->\nend\n")
    assert write_leaderboard(tmp_path).read_text("utf-8") == text, "written again it stays"


def test_other_experiments_and_pages_are_refused(tmp_path: Path) -> None:
    (tmp_path / "leaderboard").mkdir()
    other = submitted()
    other.experiment["title"] = "Mine"
    (tmp_path / "leaderboard" / "one.json").write_bytes(to_bytes(other))
    with pytest.raises(stela.StelaError, match='a run of "Mine", which is not a protocol'):
        entries_of(tmp_path / "leaderboard")
    (tmp_path / "leaderboard.md").write_text("# It\n", "utf-8")
    with pytest.raises(stela.StelaError, match="no place for the tables"):
        write_leaderboard(tmp_path)
