"""Tables of pages that people wrote, made from runs: each stands between two comments."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from stela_paper.results import (
    families,
    languages,
    payload,
    payload_equal,
    registers,
    which,
    which_detectors,
    which_edits,
    which_equal,
    which_registers,
    which_sameness,
)
from stela_paper.results.forging import edits, forging
from stela_paper.results.reading import Run

Tables = dict[str, str]
"""Tables by name."""


class Sheet(NamedTuple):
    """A file of figures, and the table of a page that shows some of them."""

    table: str
    """Its name in the page."""
    rows: Callable[[Sequence[Run]], list[which.Row]]
    shown: Callable[[Sequence[which.Row]], str]
    columns: Sequence[str]
    """Columns in which no two rows agree."""


SHEETS = {
    "which-detectors": Sheet("detectors", which.evidence_of, which_detectors.as_table, which.WHICH_EVIDENCE),
    "which-registers": Sheet(
        "registers",
        which_registers.rows_of,
        which_registers.as_table,
        ("register", *which.WHICH_EVIDENCE),
    ),
    "which-equal": Sheet("equal", which_equal.rows_of, which_equal.as_table, which_equal.COLUMNS),
    "which-sameness": Sheet(
        "sameness", which_sameness.rows_of, which_sameness.as_table, which_sameness.COLUMNS
    ),
    "widths": Sheet("widths", which.evidence_of, which.as_widths, which.WHICH_EVIDENCE),
    "payload": Sheet("payload", payload.rows_of, payload.as_table, which.WHICH_EVIDENCE),
    "payload-equal": Sheet("equal", payload_equal.rows_of, payload_equal.as_table, which_equal.COLUMNS),
}
"""Sheets by the name of their files and of their experiments."""


def of_sheet(name: str, runs: Sequence[Run], kept: Path | None = None) -> Tables:
    """Table of runs of an experiment, one for each model and temperature, and of what is kept."""
    return {SHEETS[name].table: SHEETS[name].shown(_sheet_rows(name, runs, kept))}


def _sheet_rows(name: str, runs: Sequence[Run], kept: Path | None) -> list[which.Row]:
    sheet = SHEETS[name]
    rows = sheet.rows(runs)
    return rows if kept is None else which.with_kept(rows, _read(kept / f"{name}.csv"), sheet.columns)


def of_families(runs: Sequence[Run]) -> Tables:
    """Tables of a run of the experiment ``families``."""
    return {"tables": families.as_tables(families.rows_of(runs[0]))}


def of_which(runs: Sequence[Run], kept: Path | None = None) -> Tables:
    """Table of runs of ``which``, one for each model, language and temperature, and of what is kept."""
    return {"which": which.as_tables(*_which_rows(runs, kept))}


def _which_rows(runs: Sequence[Run], kept: Path | None) -> tuple[list[which.Row], list[which.Row]]:
    evidence, costs = which.results_of(runs)
    if kept is None:
        return evidence, costs
    return (
        which.with_kept(evidence, _read(kept / "which.csv"), which.WHICH_EVIDENCE),
        which.with_kept(costs, _read(kept / "which-costs.csv"), which.WHICH_COST),
    )


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of_which_edits(runs: Sequence[Run]) -> Tables:
    """Tables of a run of ``which-edits``."""
    sizes = which_edits.as_sizes(which_edits.sizes_of(runs[0]))
    return {"edits": which_edits.as_table(which.results_of(runs)[0]), "sizes": sizes}


def of_surface(runs: Sequence[Run]) -> Tables:
    """Table of a run of ``surface``, and of one with ``readings = false``."""
    return {"surface": which_edits.as_surface(*(which.results_of([run])[0] for run in runs[:2]))}


def of_languages(runs: Sequence[Run]) -> Tables:
    """Table of runs of ``languages``, one or more languages in each."""
    return {"measured": languages.as_table(languages.rows_of(runs))}


def of_trust(runs: Sequence[Run]) -> Tables:
    """Tables of runs of ``forging`` and ``forging-schemes``; edits are those of the first."""
    return {"forging": forging(runs), "edits": edits(runs[0])}


def of_registers(runs: Sequence[Run]) -> Tables:
    """Tables of runs of ``registers``, each under the name of its folder."""
    return {str(run.folder): f"{run.folder.name}\n\n{registers.shares(run)}" for run in runs}


TABLES: dict[str, Callable[..., Tables]] = {
    "families": of_families,
    "which": of_which,
    "which-edits": of_which_edits,
    "languages": of_languages,
    "surface": of_surface,
    "trust": of_trust,
    "registers": of_registers,
    **{name: partial(of_sheet, name) for name in SHEETS},
}
"""Functions that make tables, by the name of what is written."""

KEPT = ("which", *SHEETS)
"""Tables to which rows of earlier runs can be kept."""

PAGES = {"surface": "attacks", "widths": "families", "payload-equal": "payload"} | {
    name: "families" for name in TABLES if name.startswith("which")
}
"""Pages of tables that stand on another page than that of their name."""


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """A page's text with its tables made anew."""
    for name, made in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        head, rest = page.split(begin)
        page = f"{head}{begin}{made}{end}{rest.split(end)[1]}"
    return page


def write_files(name: str, runs: Sequence[Run], folder: Path, keep: bool = False) -> None:
    """Write all figures of tables that show some of them, and the pictures.

    Args:
        name: of the tables.
        runs: what they are made from.
        folder: to write to.
        keep: rows that are there, and that no run has, are kept (:data:`KEPT`).
    """
    folder.mkdir(exist_ok=True)
    if name == "families":
        (folder / "families.csv").write_text(families.as_csv(families.rows_of(runs[0])), "utf-8")
    if name == "which":
        evidence, costs = _which_rows(runs, folder if keep else None)
        (folder / "which.csv").write_text(families.as_csv(evidence), "utf-8")
        (folder / "which-costs.csv").write_text(families.as_csv(costs), "utf-8")
        which.draw(
            folder / "which.svg", evidence, costs, tuple(evidence[0][column] for column in which.PLACE)
        )
    if name == "which-edits":
        (folder / "which-edits.csv").write_text(families.as_csv(which.results_of(runs)[0]), "utf-8")
        (folder / "which-sizes.csv").write_text(families.as_csv(which_edits.sizes_of(runs[0])), "utf-8")
    if name in SHEETS:
        rows = _sheet_rows(name, runs, folder if keep else None)
        (folder / f"{name}.csv").write_text(families.as_csv(rows), "utf-8")
    if name == "languages":
        (folder / "languages-found.csv").write_text(families.as_csv(languages.rows_of(runs)), "utf-8")
    if name == "surface":
        for run, file in zip(runs, ("surface", "surface-as-it-is"), strict=False):
            (folder / f"{file}.csv").write_text(families.as_csv(which.results_of([run])[0]), "utf-8")
