"""Green lists whose strengths cost the same divergence, from runs of ``which-equal``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import COSTS, Row, as_columns, found_in

SHORT, LONG = 25, 100
"""Tokens that the table shows."""

COLUMNS = ("model", "mark", "tokens")
"""Columns in which no two rows agree."""


def places_of(runs: Iterable[Run]) -> Iterator[tuple[Run, dict[str, Any], dict[str, Any], Row]]:
    """Each record with its run, where its scores and values lie, and a row's columns up to the delta."""
    for run in runs:
        for record in run.records:
            where = {name: record[name] for name in ("language", "label", "length", "model")}
            delta = record.get("delta")
            place = {
                "model": Path(record["model"]).name,
                "mark": record["label"],
                "tokens": str(record["length"]),
                "delta": "" if delta is None else f"{delta:.2f}",
            }
            yield run, record, where, place


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """A row for each model, mark and length: its delta, its evidence and its costs with 95 % intervals."""
    rows: list[Row] = []
    for run, _, where, place in places_of(runs):
        row = {**place, **found_in(run.scores(**where))}
        for name in COSTS:
            row |= as_columns(name, run.value(name, **where), 4)
        rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a model and a mark, at its delta."""
    cells = {(row["model"], row["mark"], row["tokens"]): row for row in rows}
    lines = []
    for model, mark in dict.fromkeys((row["model"], row["mark"]) for row in rows):
        long, short = cells[model, mark, str(LONG)], cells[model, mark, str(SHORT)]
        costs = [
            f"{float(long[name]):.{digits}f} [{float(long[f'{name}, low']):.{digits}f}, "
            f"{float(long[f'{name}, high']):.{digits}f}]"
            for name, digits in zip(COSTS[:2], (4, 3), strict=True)
        ]
        evidence = f"{long['evidence']} ± {long['half of its interval']}"
        lines.append([model, f"`{mark}`", long["delta"], *costs, evidence, short["found at 0.001"]])
    heading = ("model", "mark", "delta", *COSTS[:2], f"{LONG} tokens", f"found, {SHORT}")
    return table(heading, lines)
