"""The summary of a run: a table of each metric's values, schemes by languages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stela_run.report.answer import SUMMARY, read_sentences
from stela_run.report.records import RECORDS, read_lines

FOUND = ("expected-z", "tpr@0.01:human", "tpr@p<=0.01", "auc:human")
FIRST = (*FOUND, "bias", "surprisal", "divergence", "perplexity")
"""Metrics shown on the terminal; the report shows all."""


PLACE = ("model", "language", "label", "seed", "attack", "length")


class Row(NamedTuple):
    """One value with where it was measured."""

    model: str
    language: str
    label: str
    seed: int
    attack: str
    length: int
    metric: str
    value: float
    low: float | None
    high: float | None
    n: int | None


def rows_of(records: Iterable[dict[str, Any]]) -> list[Row]:
    """One row for each value; cells that failed have none."""
    return [
        Row(**{field: record[field] for field in PLACE}, metric=name, **value)
        for record in records
        for name, value in record.get("values", {}).items()
        if value["value"] is not None
    ]


def shown(value: float, low: float | None = None, high: float | None = None) -> str:
    """A number with its confidence interval, as in ``0.912 [0.880, 0.941]``."""
    if low is None or high is None:
        return f"{value:.4g}"
    return (
        f"{value:.3f} [{low:.3f}, {high:.3f}]" if abs(high) < 10 else f"{value:.1f} [{low:.1f}, {high:.1f}]"
    )


def print_summary(out: Console, folder: Path) -> None:
    """Print the answer of a run, its main values, and where the rest is."""
    records = read_lines(folder / RECORDS)
    rows = [row for row in rows_of(records) if row.metric in FIRST]
    columns = list(dict.fromkeys(row.metric for row in rows))
    table = Table("model", "language", "scheme", "seed", "attack", "tokens", *columns, box=None)
    for column in table.columns[: len(PLACE)]:
        column.no_wrap = True  # on a narrow terminal intervals wrap, and names are whole
    for column in table.columns[len(PLACE) :]:
        column.overflow = "fold"
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        place = tuple(str(part) for part in row[: len(PLACE)])
        cells.setdefault(place, {})[row.metric] = shown(row.value, row.low, row.high)
    for place, values in cells.items():
        table.add_row(*map(escape, place), *(values.get(column, "") for column in columns))
    for sentence in read_sentences(folder / SUMMARY):
        out.print(escape(sentence), highlight=False)
    if cells:
        out.print(table)
    for record in records:
        if "error" in record:
            where = f"{record['model']} {record['language']} {record['label']} {record['attack']}"
            out.print(f"[red]failed[/] {escape(where)}: {escape(record['error'])}")
    for name, error in dict.fromkeys(e for r in records for e in r.get("errors", {}).items()):
        out.print(f"[red]not measured[/] {escape(name)}: {escape(error)}")
    out.print(f"[dim]{escape(str(folder))}: records.jsonl, records.parquet, report.html[/]")
