"""Tables of pages that people wrote, made from runs: each stands between two comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from stela_paper.results import families, payload, registers, which
from stela_paper.results.forging import edits, forging
from stela_paper.results.reading import Run

Tables = dict[str, str]
"""By name."""


def of_families(runs: Sequence[Run]) -> Tables:
    """Of a run of the experiment ``families``."""
    return {"tables": families.as_tables(families.rows_of(runs[0]))}


def of_which(runs: Sequence[Run]) -> Tables:
    """Of runs of ``which``, a model, a language and a temperature after the other."""
    return {"which": which.as_tables(*which.results_of(runs))}


def of_widths(runs: Sequence[Run]) -> Tables:
    """Of a run of ``widths``."""
    return {"widths": which.as_widths(which.results_of(runs)[0])}


def of_payload(runs: Sequence[Run]) -> Tables:
    """Of runs of ``payload``, a model and a temperature after the other."""
    return {"payload": payload.as_table(payload.rows_of(runs))}


def of_trust(runs: Sequence[Run]) -> Tables:
    """Of runs of ``forging`` and ``forging-schemes``; edits are those of the first."""
    return {"forging": forging(runs), "edits": edits(runs[0])}


def of_registers(runs: Sequence[Run]) -> Tables:
    """Of runs of ``registers``, each under the name of its folder."""
    return {str(run.folder): f"{run.folder.name}\n\n{registers.shares(run)}" for run in runs}


TABLES: dict[str, Callable[[Sequence[Run]], Tables]] = {
    "families": of_families,
    "which": of_which,
    "widths": of_widths,
    "payload": of_payload,
    "trust": of_trust,
    "registers": of_registers,
}
"""By what is written."""

PAGES = {"which": "families", "widths": "families"}
"""Of tables that stand on another page than that of their name."""


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """A page's text with its tables made anew."""
    for name, made in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        head, rest = page.split(begin)
        page = f"{head}{begin}{made}{end}{rest.split(end)[1]}"
    return page


def write_files(name: str, runs: Sequence[Run], folder: Path) -> None:
    """Write all figures of tables that show some of them, and the pictures."""
    folder.mkdir(exist_ok=True)
    if name == "families":
        (folder / "families.csv").write_text(families.as_csv(families.rows_of(runs[0])), "utf-8")
    if name == "which":
        evidence, costs = which.results_of(runs)
        (folder / "which.csv").write_text(families.as_csv(evidence), "utf-8")
        (folder / "which-costs.csv").write_text(families.as_csv(costs), "utf-8")
        which.draw(
            folder / "which.svg", evidence, costs, tuple(evidence[0][column] for column in which.PLACE)
        )
    if name == "widths":
        (folder / "widths.csv").write_text(families.as_csv(which.results_of(runs)[0]), "utf-8")
    if name == "payload":
        (folder / "payload.csv").write_text(families.as_csv(payload.rows_of(runs)), "utf-8")
