"""How alike answers to one prompt are, and how well found, from runs of ``which-sameness`` and its like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import Row, as_columns

MEASURES: Mapping[str, str] = {
    "distinct-texts": "different texts of 10",
    "shared-4-grams": "4-grams that another answer holds",
    "repeated-4-grams": "repeated 4-grams",
    "evidence": "evidence",
    "found": "found",
}
"""What ``quality-samples`` measures, in words."""

SHOWN = {name: words for name, words in MEASURES.items() if name != "repeated-4-grams"}
"""What the page has of them."""

COLUMNS = ("model", "mark")
"""Columns in which no two rows agree."""


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """A row for each model and mark: its measures with 95 % intervals."""
    rows: list[Row] = []
    for run, record in ((one, record) for one in runs for record in one.records):
        row = {"model": Path(record["model"]).name, "mark": record["label"]}
        where = {name: record[name] for name in ("language", "label", "length", "model")}
        values = {name: run.value(name, **where) for name in MEASURES}
        row["prompts"] = str((values["distinct-texts"] or {}).get("n") or "")
        for name, value in values.items():
            row |= as_columns(name, value, 3)
        rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark, of the first model; the file has the others."""
    lines = [
        [
            row["mark"] if row["mark"] == "no mark" else f"`{row['mark']}`",
            row["prompts"],
            *(_shown(row, name) for name in SHOWN),
        ]
        for row in rows
        if row["model"] == rows[0]["model"]
    ]
    return table(("mark", "prompts", *SHOWN.values()), lines)


def _shown(row: Row, name: str) -> str:
    """A value with its interval, where there is one: of one prompt there is none, and not all is measured."""
    ends = row[f"{name}, low"], row[f"{name}, high"]
    return f"{row[name]} [{', '.join(ends)}]" if all(ends) else row[name] or "–"
