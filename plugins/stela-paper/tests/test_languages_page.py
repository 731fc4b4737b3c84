"""The table of measured languages in docs/languages.md is that of the file that runs make."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_paper.results import languages
from stela_paper.results.families import as_csv
from stela_paper.results.reading import Scores

from .made_up import MadeUp

DOCS = Path(__file__).parents[3] / "docs"


def rows_in(name: str) -> list[dict[str, str]]:
    with (DOCS / "results" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_shows_what_the_file_holds() -> None:
    rows = rows_in("languages-found.csv")
    made = languages.as_table(rows)
    assert f"<!-- measured -->\n{made}<!-- end of measured -->" in (DOCS / "languages.md").read_text("utf-8")
    assert as_csv(rows) == (DOCS / "results" / "languages-found.csv").read_text("utf-8")


class Measured(MadeUp):
    """z of 4 by KGW; by STELA the more, the later the language stands in the file."""

    def scores(self, language: str, label: str, *_where: Any, **_more: Any) -> Scores:
        z = np.random.default_rng(0).normal(4, 0.2, 60)
        factor = 1 + 0.01 * self.languages.index(language) if label == "stela" else 1.0
        return {(0, f"t{n}"): (factor * one, 1e-4) for n, one in enumerate(z.tolist())}


def test_a_row_is_a_mark_in_a_language_at_a_length() -> None:
    run = Measured(Path("languages"))
    rows = languages.rows_of([run])
    assert len(rows) == 14 * 3 * 3
    gains = [float(row[languages.GAIN]) for row in rows if row["mark"] == "stela" and row["tokens"] == "100"]
    assert gains == pytest.approx([0.01 * n for n in range(14)], abs=1e-4)
    assert {row[f"{languages.GAIN}, low"] for row in rows if row["mark"] == "kgw"} == {"0.0000"}
    [row] = [row for row in rows if (row["language"], row["mark"], row["tokens"]) == ("tr", "stela", "25")]
    assert [row["tests of human text"], row["false at 0.01"], row["false at 0.001"]] == ["1000", "10", "1"]
    assert [row["evidence"], row["found at 0.001"], row[languages.LOST]] == ["4.0", "1.00", "1.0000"]


def test_languages_stand_by_name_without_a_gain_of_few_texts() -> None:
    """The gain of generated texts is in the file alone: an interval of 60 texts is 20 points wide."""
    lines = languages.as_table(languages.rows_of([Measured(Path("languages"))])).splitlines()
    assert lines[0].endswith(" `stela`, found | ids lost |")
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| Arabic", "| Chinese", "| English"]
    shown = "| Chinese | 4.0 ± 0.0 | 4.0 ± 0.0 | 4.0 ± 0.0 | 1.00; 1.00 | 1.00; 1.00 |"
    assert lines[3] == f"{shown} 100.0 % [90.0, 110.0] |"
    assert lines[-1] == (
        "False alarms in 42,000 tests of 100 human tokens: 420 at p ≤ 0.01 (420 expected), "
        "42 at p ≤ 0.001 (42 expected)."
    )


def test_a_language_that_was_not_run_has_no_row() -> None:
    rows = [
        row for row in languages.rows_of([Measured(Path("languages"))]) if row["language"] in ("tr", "ko")
    ]
    lines = languages.as_table([{**row, languages.LOST: ""} for row in rows]).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| Korean", "| Turkish"]
    assert "ids lost" not in lines[0]
