"""What marks leave in code and in talk, from runs of ``which-registers``: each register by its folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import Row, results_of

SHORT, LONG = "25", "100"
"""Tokens that the table shows."""


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """Rows of evidence of each run, with the register: what its folder's name says before a dash."""
    return [
        {"register": run.folder.name.partition("-")[0], **row} for run in runs for row in results_of([run])[0]
    ]


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark; of each register and temperature evidence at 100 tokens and what is found of 25."""
    cells = {(row["register"], row["temperature"], row["mark"], row["tokens"]): row for row in rows}
    places = list(dict.fromkeys((row["register"], row["temperature"]) for row in rows))
    lines = []
    for mark in dict.fromkeys(row["mark"] for row in rows):
        shown = []
        for place in places:
            long, short = cells[*place, mark, LONG], cells[*place, mark, SHORT]
            evidence = f"{long['evidence']} ± {long['half of its interval']}"
            shown.append(f"{evidence}; {short['found at 0.001']}")
        lines.append([f"`{mark}`", *shown])
    return table(("mark", *(f"{register}, {temperature}" for register, temperature in places)), lines)
