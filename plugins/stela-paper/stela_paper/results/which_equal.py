"""Green lists whose strengths cost the same divergence, from a run of ``which-equal``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import COSTS, Row, as_columns, found_in

SHORT, LONG = 25, 100
"""Tokens that the table shows."""


def rows_of(run: Run) -> list[Row]:
    """A row for each mark and length: its delta, its evidence and its costs with 95 % intervals."""
    rows: list[Row] = []
    for record in run.records:
        where = {name: record[name] for name in ("language", "label", "length", "model")}
        delta = record.get("delta")
        row = {
            "mark": record["label"],
            "tokens": str(record["length"]),
            "delta": "" if delta is None else f"{delta:.2f}",
            **found_in(run.scores(**where)),
        }
        for name in COSTS:
            row |= as_columns(name, run.value(name, **where), 4)
        rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark, at its delta."""
    cells = {(row["mark"], row["tokens"]): row for row in rows}
    lines = []
    for mark in dict.fromkeys(row["mark"] for row in rows):
        long, short = cells[mark, str(LONG)], cells[mark, str(SHORT)]
        costs = [
            f"{float(long[name]):.{digits}f} [{float(long[f'{name}, low']):.{digits}f}, "
            f"{float(long[f'{name}, high']):.{digits}f}]"
            for name, digits in zip(COSTS[:2], (4, 3), strict=True)
        ]
        evidence = f"{long['evidence']} ± {long['half of its interval']}"
        lines.append([f"`{mark}`", long["delta"], *costs, evidence, short["found at 0.001"]])
    heading = ("mark", "delta", *COSTS[:2], f"{LONG} tokens", f"found, {SHORT}")
    return table(heading, lines)
