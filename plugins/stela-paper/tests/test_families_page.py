"""The tables of docs/families.md are those of the file with all lengths, which a run makes."""

from __future__ import annotations

import csv
from pathlib import Path

from stela_paper.results.families import as_csv, as_tables, rows_of

from .made_up import MadeUp

DOCS = Path(__file__).parents[3] / "docs"


def test_page_shows_what_the_file_holds() -> None:
    with (DOCS / "results" / "families.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = (DOCS / "families.md").read_text("utf-8")
    assert f"<!-- tables -->\n{as_tables(rows)}<!-- end of tables -->" in page
    assert as_csv(rows) == (DOCS / "results" / "families.csv").read_text("utf-8")


def test_costs_stand_once_with_the_texts_they_are_of() -> None:
    rows = rows_of(MadeUp(Path("families")))
    lines = as_tables(rows).splitlines()
    [plain] = [line for line in lines[:30] if line.startswith("| `gumbel` |")]
    assert plain.endswith("| 3.0 ± 0.0 | 3.0 ± 0.0 | 1.00 [0.90, 1.10] | 1 | 1.000 |")
    weighed = [line for line in lines if line.startswith("| `gumbel+learned-text` |")]
    assert weighed == ["| `gumbel+learned-text` | 3.0 ± 0.0 | 3.0 ± 0.0 |  |  |  |"] * 3
    assert sum(line.startswith("**") for line in lines) == 3
    assert as_csv(rows).startswith("language,scheme,texts,25 tokens,50 tokens,100 tokens,200 tokens,")
