"""Messages of marks whose strengths cost the same divergence, from runs of ``payload-equal``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import COSTS, Row, as_columns
from stela_paper.results.which_equal import places_of

READ = ("message-best", "message-right", "message-wrong", "bit-accuracy")
"""Values of the metric ``fidelity-message``."""

SHORT, LONG = "100", "200"
"""Tokens that the table shows."""


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """A row for each model, mark and length: its delta, its costs, and how often its message was read."""
    rows: list[Row] = []
    for run, record, where, place in places_of(runs):
        row = {**place, "texts": str(record["values"].get(READ[0], {}).get("n", ""))}
        for name, digits in [(name, 4) for name in COSTS[:2]] + [(name, 3) for name in READ]:
            row |= as_columns(name, run.value(name, **where), digits)
        rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark, of a model where there are several: its cost, and what is read of 100 and 200 tokens."""
    models = {row["model"] for row in rows}
    cells = {(row["model"], row["mark"], row["tokens"]): row for row in rows}
    lines = []
    for model, mark in dict.fromkeys((row["model"], row["mark"]) for row in rows):
        short, long = cells[model, mark, SHORT], cells[model, mark, LONG]
        costs = [f"{long[name]} [{long[f'{name}, low']}, {long[f'{name}, high']}]" for name in COSTS[:2]]
        read = [f"{row['message-best']}; {row['bit-accuracy']}" for row in (short, long)]
        name = f"`{mark}`" if len(models) == 1 else f"`{mark}`, {model}"
        lines.append([name, long["delta"], *costs, *read, long["message-right"]])
    heading = (*("mark", "delta"), *COSTS[:2], f"{SHORT} tokens", f"{LONG} tokens", "shown, 200")
    return table(heading, lines)
