"""How alike answers to one prompt are under one key, from a run of ``which-sameness``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import Row, as_columns

MEASURES: Mapping[str, str] = {
    "distinct-texts": "different texts of 10",
    "repeated-4-grams": "repeated 4-grams",
    "self-bleu": "self-BLEU",
}
"""What ``quality-samples`` measures, in words."""


def rows_of(run: Run) -> list[Row]:
    """A row for each mark: its measures with 95 % intervals."""
    rows: list[Row] = []
    for record in run.records:
        row = {"mark": record["label"]}
        where = {name: record[name] for name in ("language", "label", "length", "model")}
        for name in MEASURES:
            row |= as_columns(name, run.value(name, **where), 3)
        rows.append(row)
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark."""
    lines = [
        [
            f"`{row['mark']}`",
            *(f"{row[name]} [{row[f'{name}, low']}, {row[f'{name}, high']}]" for name in MEASURES),
        ]
        for row in rows
    ]
    return table(("mark", *MEASURES.values()), lines)
