"""Tables of pages that people wrote, made from runs: each stands between two comments."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from stela_paper.results import (
    families,
    languages,
    payload,
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
"""By name."""


def of_families(runs: Sequence[Run]) -> Tables:
    """Of a run of the experiment ``families``."""
    return {"tables": families.as_tables(families.rows_of(runs[0]))}


def of_which(runs: Sequence[Run], kept: Path | None = None) -> Tables:
    """Of runs of ``which``, a model, a language and a temperature after the other; and of what is kept."""
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
    """Of a run of ``which-edits``."""
    sizes = which_edits.as_sizes(which_edits.sizes_of(runs[0]))
    return {"edits": which_edits.as_table(which.results_of(runs)[0]), "sizes": sizes}


def of_surface(runs: Sequence[Run]) -> Tables:
    """Of a run of ``surface``, and of one with ``readings = false``."""
    return {"surface": which_edits.as_surface(*(which.results_of([run])[0] for run in runs[:2]))}


def of_which_detectors(runs: Sequence[Run]) -> Tables:
    """Of runs of ``which-detectors``, a temperature after the other."""
    return {"detectors": which_detectors.as_table(which.results_of(runs)[0])}


def of_which_registers(runs: Sequence[Run]) -> Tables:
    """Of runs of ``which-registers``, each in a folder named by its register."""
    return {"registers": which_registers.as_table(which_registers.rows_of(runs))}


def of_which_equal(runs: Sequence[Run]) -> Tables:
    """Of a run of ``which-equal``."""
    return {"equal": which_equal.as_table(which_equal.rows_of(runs[0]))}


def of_which_sameness(runs: Sequence[Run]) -> Tables:
    """Of a run of ``which-sameness``."""
    return {"sameness": which_sameness.as_table(which_sameness.rows_of(runs[0]))}


def of_languages(runs: Sequence[Run], kept: Path) -> Tables:
    """Of runs of ``languages``, one or more languages in each; and of what is known of them."""
    figures = {row["language"]: row for row in _read(kept / "languages.csv")}
    return {"measured": languages.as_table(languages.rows_of(runs), figures)}


def of_widths(runs: Sequence[Run]) -> Tables:
    """Of a run of ``widths``."""
    return {"widths": which.as_widths(which.results_of(runs)[0])}


def of_payload(runs: Sequence[Run], kept: Path | None = None) -> Tables:
    """Of runs of ``payload``, a model and a temperature after the other; and of what is kept."""
    return {"payload": payload.as_table(_payload_rows(runs, kept))}


def _payload_rows(runs: Sequence[Run], kept: Path | None) -> list[which.Row]:
    rows = payload.rows_of(runs)
    if kept is None:
        return rows
    return which.with_kept(rows, _read(kept / "payload.csv"), which.WHICH_EVIDENCE)


def of_trust(runs: Sequence[Run]) -> Tables:
    """Of runs of ``forging`` and ``forging-schemes``; edits are those of the first."""
    return {"forging": forging(runs), "edits": edits(runs[0])}


def of_registers(runs: Sequence[Run]) -> Tables:
    """Of runs of ``registers``, each under the name of its folder."""
    return {str(run.folder): f"{run.folder.name}\n\n{registers.shares(run)}" for run in runs}


TABLES: dict[str, Callable[..., Tables]] = {
    "families": of_families,
    "which": of_which,
    "which-edits": of_which_edits,
    "which-detectors": of_which_detectors,
    "which-registers": of_which_registers,
    "which-equal": of_which_equal,
    "which-sameness": of_which_sameness,
    "languages": of_languages,
    "surface": of_surface,
    "widths": of_widths,
    "payload": of_payload,
    "trust": of_trust,
    "registers": of_registers,
}
"""By what is written."""

KEPT = ("which", "payload")
"""Tables to which rows of earlier runs can be kept."""

WITH_FIGURES = ("languages",)
"""Tables that need other files of results."""

PAGES = {"surface": "attacks", "widths": "families"} | {
    name: "families" for name in TABLES if name.startswith("which")
}
"""Of tables that stand on another page than that of their name."""


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
        keep: rows that are there, and that no run has, stay (``which``, ``payload``).
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
    rows = {
        "which-detectors": lambda: which.results_of(runs)[0],
        "which-registers": lambda: which_registers.rows_of(runs),
        "which-equal": lambda: which_equal.rows_of(runs[0]),
        "which-sameness": lambda: which_sameness.rows_of(runs[0]),
    }
    if name in rows:
        (folder / f"{name}.csv").write_text(families.as_csv(rows[name]()), "utf-8")
    if name == "languages":
        (folder / "languages-found.csv").write_text(families.as_csv(languages.rows_of(runs)), "utf-8")
    if name == "surface":
        for run, file in zip(runs, ("surface", "surface-as-it-is"), strict=False):
            (folder / f"{file}.csv").write_text(families.as_csv(which.results_of([run])[0]), "utf-8")
    if name == "widths":
        (folder / "widths.csv").write_text(families.as_csv(which.results_of(runs)[0]), "utf-8")
    if name == "payload":
        (folder / "payload.csv").write_text(
            families.as_csv(_payload_rows(runs, folder if keep else None)), "utf-8"
        )
