"""Messages of marks whose strengths cost the same divergence, from runs of ``payload-equal``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import COSTS, Row, as_columns

COLUMNS = ("model", "mark", "tokens")
"""In which no two rows agree."""

READ = ("message-best", "message-right", "message-wrong", "bit-accuracy")
"""Of the metric ``fidelity-message``."""

SHORT, LONG = "100", "200"
"""Tokens that the table shows."""


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """A row for each model, mark and length: its delta, its costs, and how often its message was read."""
    rows: list[Row] = []
    for run in runs:
        for record in run.records:
            where = {name: record[name] for name in ("language", "label", "length", "model")}
            delta = record.get("delta")
            row = {
                "model": Path(record["model"]).name,
                "mark": record["label"],
                "tokens": str(record["length"]),
                "texts": str(record["values"][READ[0]]["n"]) if READ[0] in record["values"] else "",
                "delta": "" if delta is None else f"{delta:.2f}",
            }
            for name, digits in [(name, 4) for name in COSTS[:2]] + [(name, 3) for name in READ]:
                row |= as_columns(name, run.value(name, **where), digits)
            rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a model and a mark: its cost, and what is read of 100 and 200 tokens."""
    cells = {(row["model"], row["mark"], row["tokens"]): row for row in rows}
    lines = []
    for model, mark in dict.fromkeys((row["model"], row["mark"]) for row in rows):
        short, long = cells[model, mark, SHORT], cells[model, mark, LONG]
        costs = [f"{long[name]} [{long[f'{name}, low']}, {long[f'{name}, high']}]" for name in COSTS[:2]]
        read = [f"{row['message-best']}; {row['bit-accuracy']}" for row in (short, long)]
        lines.append([model, f"`{mark}`", long["delta"], *costs, *read, long["message-right"]])
    heading = (*("model", "mark", "delta"), *COSTS[:2], f"{SHORT} tokens", f"{LONG} tokens", "shown, 200")
    return table(heading, lines)
