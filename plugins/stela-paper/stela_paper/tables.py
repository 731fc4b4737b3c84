"""Tables of pages that people wrote, made from runs: each stands between two comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stela_paper.results import families, registers
from stela_paper.results.forging import edits, forging
from stela_paper.results.reading import Run

Tables = dict[str, str]
"""By name."""


def of_families(runs: Sequence[Run]) -> Tables:
    """Of a run of the experiment ``families``."""
    return {"tables": families.as_tables(families.rows_of(runs[0]))}


def of_trust(runs: Sequence[Run]) -> Tables:
    """Of runs of ``forging`` and ``forging-schemes``; edits are those of the first."""
    return {"forging": forging(runs), "edits": edits(runs[0])}


def of_registers(runs: Sequence[Run]) -> Tables:
    """Of runs of ``registers``, each under the name of its folder."""
    return {str(run.folder): f"{run.folder.name}\n\n{registers.shares(run)}" for run in runs}


TABLES: dict[str, Callable[[Sequence[Run]], Tables]] = {
    "families": of_families,
    "trust": of_trust,
    "registers": of_registers,
}
"""By page."""


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """A page's text with its tables made anew."""
    for name, made in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        head, rest = page.split(begin)
        page = f"{head}{begin}{made}{end}{rest.split(end)[1]}"
    return page
