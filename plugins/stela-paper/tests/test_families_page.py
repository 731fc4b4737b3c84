"""The tables of docs/families.md and docs/attacks.md are those of the files that runs make."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from stela_paper.results import (
    expected,
    which,
    which_detectors,
    which_edits,
    which_equal,
    which_registers,
    which_sameness,
)
from stela_paper.results.families import as_csv, as_tables, rows_of
from stela_paper.tables import PAGES, SHEETS

from .made_up import TEXTS, MadeUp

DOCS = Path(__file__).parents[3] / "docs"


def test_page_shows_what_the_file_holds() -> None:
    with (DOCS / "results" / "families.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = (DOCS / "families.md").read_text("utf-8")
    assert f"<!-- tables -->\n{as_tables(rows)}<!-- end of tables -->" in page
    assert as_csv(rows) == (DOCS / "results" / "families.csv").read_text("utf-8")


def test_the_page_has_some_of_the_marks() -> None:
    rows = rows_of(MadeUp(Path("families")))
    lines = as_tables(rows).splitlines()
    [plain] = [line for line in lines if line.startswith("| `gumbel` |")]
    assert plain == "| `gumbel` | 3.0 ± 0.0 | 3.0 ± 0.0 | 1.00 [0.90, 1.10] | 1 | 1.000 |"
    assert not any("+" in line for line in lines)
    assert sum(line.startswith("**") for line in lines) == 1
    assert as_csv(rows).startswith("language,scheme,texts,25 tokens,50 tokens,100 tokens,200 tokens,")
    assert any(",gumbel+learned-text," in line for line in as_csv(rows).splitlines())


def rows_in(name: str) -> list[dict[str, str]]:
    with (DOCS / "results" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_of_real_models_are_those_of_the_files() -> None:
    made = which.as_tables(rows_in("which.csv"), rows_in("which-costs.csv"))
    assert f"<!-- which -->\n{made}<!-- end of which -->" in (DOCS / "families.md").read_text("utf-8")


def test_table_of_edits_is_that_of_the_file() -> None:
    made = which_edits.as_table(rows_in("which-edits.csv"))
    assert f"<!-- edits -->\n{made}<!-- end of edits -->" in (DOCS / "families.md").read_text("utf-8")


def test_table_of_expected_costs_is_that_of_the_file() -> None:
    made = expected.as_table(rows_in("expected-costs.csv"))
    assert f"<!-- expected -->\n{made}<!-- end of expected -->" in (DOCS / "families.md").read_text("utf-8")


def test_table_of_surface_attacks_is_that_of_the_file() -> None:
    made = which_edits.as_surface(rows_in("surface.csv"), rows_in("surface-as-it-is.csv"))
    assert f"<!-- surface -->\n{made}<!-- end of surface -->" in (DOCS / "attacks.md").read_text("utf-8")


def test_table_of_sizes_is_that_of_the_file() -> None:
    made = which_edits.as_sizes(rows_in("which-sizes.csv"))
    assert f"<!-- sizes -->\n{made}<!-- end of sizes -->" in (DOCS / "families.md").read_text("utf-8")


@pytest.mark.parametrize("name", SHEETS)
def test_table_is_that_of_its_file(name: str) -> None:
    """And no two rows of the file agree in the columns by which rows of earlier runs are kept."""
    sheet, rows = SHEETS[name], rows_in(f"{name}.csv")
    page = (DOCS / f"{PAGES.get(name, name)}.md").read_text("utf-8")
    assert f"<!-- {sheet.table} -->\n{sheet.shown(rows)}<!-- end of {sheet.table} -->" in page
    assert which.with_kept([], rows, sheet.columns) == rows


def test_runs_make_these_tables() -> None:
    """Of made-up runs: a row for each mark, and for each reader of it."""
    rows = which.results_of([MadeUp(Path("which-detectors"))])[0]
    lines = which_detectors.as_table(rows).splitlines()
    assert [line.split(" | ")[:2] for line in lines[2:]] == [
        [f"| `{mark}`", reader]
        for mark in ("kgw", "gumbel", "synthid")
        for reader in which_detectors.READERS.values()
    ]
    run = MadeUp(Path("which-registers"))
    lines = which_registers.as_table(which_registers.rows_of([run])).splitlines()
    assert lines[0] == "| mark | which, 1 |"
    assert lines[2] == "| `gumbel` | 3.0 ± 0.0; 1.00 |"
    lines = which_equal.as_table(which_equal.rows_of([MadeUp(Path("which-equal"))])).splitlines()
    assert lines[2].startswith(
        "| tiny | `kgw` |  | 1.0000 [0.9000, 1.1000] | 1.000 [0.900, 1.100] | 3.0 ± 0.0 |"
    )
    lines = which_sameness.as_table(which_sameness.rows_of([MadeUp(Path("which-sameness"))])).splitlines()
    assert any(
        line.startswith(f"| `gumbel context_width=8` | {TEXTS} | 1.000 [0.900, 1.100] |") for line in lines
    )
    assert any(line.startswith("| no mark |") for line in lines)
    rows = [{"model": name, "mark": "kgw", "prompts": "4"} for name in ("a", "b")]
    measured = {f"{name}{end}": "1" for name in which_sameness.MEASURES for end in ("", ", low", ", high")}
    lines = which_sameness.as_table([row | measured for row in rows]).splitlines()
    assert len(lines) == 3, "the other models are in the file"
    assert lines[2].startswith("| `kgw` | 4 | 1 [1, 1] |")


def test_evidence_is_the_mean_of_minus_log10_p() -> None:
    scores = {(0, "a"): (1.0, 1e-2), (0, "b"): (1.0, 1e-4), (0, "c"): (1.0, 1e-6)}
    found = which.found_in(scores)
    assert found["evidence"] == "4.0"
    assert found["half of its interval"] == f"{1.96 * 2 / 3**0.5:.1f}"
    assert [found["found at 0.001"], found["found at 1e-06"], found["texts"]] == ["0.67", "0.33", "3"]


def test_place_tells_top_p() -> None:
    """So texts drawn otherwise are a table of their own."""
    assert which.drawn_at({"temperature": 1.0}) == which.drawn_at({"temperature": 1.0, "top_p": None}) == "1"
    assert which.drawn_at({"temperature": 0.7, "top_p": 0.95}) == "0.7, top-p 0.95"


def row_of(mark: str, evidence: float, **other: str) -> dict[str, str]:
    place = {"model": "a", "language": "English", "temperature": "1", "mark": mark, "attack": "none"}
    found = {"half of its interval": "0.1", "found at 0.001": "0.50", "found at 1e-06": "0.25"}
    return {**place, "tokens": "200", "evidence": f"{evidence:.1f}", **found, **other}


def test_other_places_stand_beside_the_first() -> None:
    """Their columns say what differs; what was not measured is a dash."""
    rows = [row_of("kgw", 1), row_of("gumbel", 2), row_of("gumbel+learned-text", 3)]
    rows += [
        row_of("kgw", 4, model="b"),
        row_of("gumbel", 5, language="Korean", temperature="0.7"),
        row_of("gumbel", 0.5, attack=which.PASTED),
    ]
    lines = which.as_tables(rows, []).splitlines()
    first = lines.index("**a, English, temperature 1**")
    assert lines[first + 4] == "| `gumbel` | – | 2.0 ± 0.1 | – | 0.25 | – | 0.5 |"
    assert lines[first + 5].startswith("| `kgw` | – | 1.0 ± 0.1 |")
    costs = lines.index("**Costs**")
    assert lines[costs + 4 : costs + 6] == ["| `gumbel` | 0 | 0 |  |", ""], "that of KGW was not measured"
    others = lines.index("**200 tokens**")
    assert lines[others + 2] == "| mark | b | Korean, temperature 0.7 |"
    assert lines[others + 4 : others + 6] == ["| `gumbel` | – | 5.0 ± 0.1 |", "| `kgw` | 4.0 ± 0.1 | – |"]
    assert "learned-text" not in "".join(lines)
    assert "**200 tokens**" not in which.as_tables(rows[:3], [])


def test_no_table_of_the_page_has_more_than_seven_columns() -> None:
    """What does not fit is in the files."""
    rows = [row_of("kgw", 1, model=f"m{number}") for number in range(9)]
    costs = [row | dict.fromkeys(which.COSTS, "0.1") for row in rows]
    lines = which.as_tables(rows, costs).splitlines()
    assert lines[lines.index("**200 tokens**") + 2] == "| mark | m1 | m2 | m3 | m4 | m5 | m6 |"
    assert lines[lines.index("**Divergence; surprisal**") + 2] == "| mark | m1 | m2 | m3 | m4 | m5 | m6 |"
    assert max(line.count(" | ") for line in lines) == 6


def test_rows_of_runs_that_are_gone_are_kept() -> None:
    kept = [row_of("kgw", 1), row_of("gumbel", 2)]
    made = [row_of("kgw", 3), row_of("kgw", 4, language="Korean")]
    rows = which.with_kept(made, kept, which.WHICH_EVIDENCE)
    assert [row["evidence"] for row in rows] == ["3.0", "2.0", "4.0"]


def test_costs_of_other_places_are_shown() -> None:
    rows = [row_of("kgw", 1), row_of("kgw", 4, language="Korean")]
    costs = [
        {
            **row_of("kgw", 1, language=language),
            "divergence": "0.0101",
            "surprisal": "0.2",
            "divergence-per-key": "",
        }
        for language in ("English", "Korean")
    ]
    lines = which.as_tables(rows, costs).splitlines()
    at = lines.index("**Divergence; surprisal**")
    assert lines[at + 2] == "| mark | Korean |"
    assert lines[at + 4] == "| `kgw` | 0.0101; 0.200 |"
