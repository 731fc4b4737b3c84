"""The tables of docs/trust.md, from records and scores written here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from stela_paper.command import paper
from stela_paper.results.forging import edits, forging
from stela_paper.results.reading import Run
from stela_paper.tables import of_trust, with_tables

PAGE = Path(__file__).parents[3] / "docs" / "trust.md"
ATTACKS = ("none", "steal(texts=20, aside=100)", "steal(texts=100, aside=100)", "edits-delete(share=0.3)")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two widths, two keys, two prompts; a p-value is twice 10 to the minus z."""
    experiment = {
        "models": ["m"],
        "languages": {"en": {}},
        "lengths": [100],
        "seeds": [1, 2],
        "texts": 2,
        "keys": 1,
    }
    plan = {"experiment": experiment, "digest": "d"}
    (tmp_path / "experiment.json").write_text(json.dumps(plan), encoding="utf-8")
    (tmp_path / "timings.jsonl").write_bytes(b"")
    records, rows = [], []
    for width in (1, 4):
        label = f"kgw context_width={width}"
        for seed in (1, 2):
            for number, attack in enumerate(ATTACKS):
                place = {"model": "m", "language": "en", "label": label, "attack": attack, "length": 100}
                values = {"bias": {"value": 1.5 + seed / 4}} if attack == "none" else {}
                records.append(
                    {
                        **place,
                        "scheme": "kgw",
                        "seed": seed,
                        "parameters": {"context_width": width},
                        "values": values,
                    }
                )
                for text in ("a", "b"):
                    z = 8.0 - number - (width - 1) * (number > 0) / 2 + (text == "b") - seed
                    rows.append(
                        {
                            **place,
                            "seed": seed,
                            "kind": "marked",
                            "text": text,
                            "z": z,
                            "p_value": 2 * 10.0**-z,
                        }
                    )
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "records.jsonl").write_text(lines, encoding="utf-8")
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "scores.parquet")
    return Run(tmp_path)


@pytest.mark.parametrize("name", ["profile.md", "statistics.md", "attacks.md"])
def test_pages_that_speak_of_forging_say_that_no_key_prevents_it(name: str) -> None:
    text = (PAGE.parent / name).read_text(encoding="utf-8")
    assert re.search(r"\bforg(e|ed|ing)\b", text)
    assert "(trust.md)" in text
    said = " ".join(PAGE.read_text(encoding="utf-8").replace("**", "").split())
    assert "It does not keep them from forging it." in said


def rows_of(made: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.splitlines()]


def test_forging_by_key_and_width(run: Run) -> None:
    header, _, narrow, wide = rows_of(forging([run]))
    assert header[:4] == ["scheme", "context width", "keys", "marked text"]
    assert header[4:] == ["forged from 20; p ≤ 0.001", "forged from 100; p ≤ 0.001"]
    assert narrow[:3] == ["`kgw`", "1", "2"]
    # z is 7 and 8 under the first key, 6 and 7 under the second; a median is the mean of the middle two.
    assert narrow[3] == "2e-07 [1e-07, 1e-06]"
    assert narrow[4].endswith("; 1.00 [0.40, 1.00]")
    # At width 4 forged from 100: z 3.5, 4.5 and 2.5, 3.5.
    assert wide[5].endswith("; 0.75 [0.19, 0.99]")


def test_edits_are_paired_with_the_narrowest(run: Run) -> None:
    header, _, narrow, wide = rows_of(edits(run))
    assert header == ["scheme", "context width", "mean bias", "unedited", "edits-delete 0.3"]
    assert narrow == ["`kgw`", "1", "1.88", "7.00; 1.00", "4.00; 0.75"]
    assert wide == [
        "`kgw`",
        "4",
        "1.88",
        "7.00 (0.00 [0.00, 0.00]); 1.00",
        "2.50 (-1.50 [-1.50, -1.50]); 0.25",
    ]


def test_the_page_takes_its_tables_between_its_marks(run: Run) -> None:
    before = PAGE.read_text(encoding="utf-8")
    made = with_tables(before, of_trust([run]))
    assert forging([run]) in made
    assert edits(run) in made
    assert with_tables(made, of_trust([run])) == made
    assert made.split("<!-- forging -->")[0] == before.split("<!-- forging -->")[0]


def test_the_command_writes_them(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "trust.md"
    copy.write_bytes(PAGE.read_bytes())
    asked = ["tables", "trust", str(run.folder), "--docs", str(tmp_path)]
    told = CliRunner().invoke(paper, [*asked, "--print"])
    assert told.output == f"{forging([run])}\n{edits(run)}\n"
    assert copy.read_bytes() == PAGE.read_bytes()
    assert CliRunner().invoke(paper, asked).exit_code == 0
    assert copy.read_text("utf-8") == with_tables(PAGE.read_text("utf-8"), of_trust([run]))
