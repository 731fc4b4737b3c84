"""What a table of gains holds, on the terminal: part of ``stela lambda show``."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table
from stela_cli.common import console
from stela_cli.printing import print_json

from stela_tables.gains.optimum import best_strengths
from stela_tables.gains.table import THOUSAND, GainTable

DELTA = 2.0
"""What is shown costs as much as KGW with this delta."""


def show_gains(table: GainTable, as_json: bool) -> None:
    """Print of what a table was made, and strength and weight of each class at the cost of KGW's delta 2."""
    facts = {
        "key": table.key,
        "longest": table.longest,
        "language": table.language,
        "tagger": None if table.tagger is None else table.tagger._asdict(),
        "learned": table.learned._asdict(),
        "contexts": len(table.classes),
        "temperatures": [one / THOUSAND for one in table.temperatures],
        "sha256": table.sha256,
    }
    rows = _rows(table)
    if as_json:
        print_json({**facts, "classes": rows})
        return
    out = console()
    grid = Table(box=None, show_header=False)
    for name, value in facts.items():
        if name == "learned":
            value = f"from {table.learned.model}: {table.learned.tokens} tokens of "
            value += f"{', '.join(table.learned.corpora)}; {table.learned.settings}"
        elif name == "tagger":
            value = "none: by characters" if table.tagger is None else table.tagger.name
        grid.add_row(f"[bold]{name.replace('_', ' ')}[/]", escape(str(value)))
    out.print(grid)
    listed = Table("class", "tokens", "temperature", "strength", "weight", box=None)
    for row in rows:
        listed.add_row(
            escape(str(row["class"])),
            str(row["tokens"]),
            f"{row['temperature']:g}",
            f"{row['strength']:.2f}",
            f"{row['weight']:.4f}",
        )
    out.print(listed)


def _rows(table: GainTable) -> list[dict[str, str | int | float]]:
    names = {number: str(number) for number in range(len(table.counts))}
    if table.key == "tags":
        names = {number: context or "(others)" for context, number in table.classes.items()}
    rows: list[dict[str, str | int | float]] = []
    for temperature in (one / THOUSAND for one in table.temperatures):
        curves = table.curves(temperature, "surprisal")
        best = best_strengths(curves, curves.cost_of_all(DELTA)).tolist()
        for number, (tokens, strength) in enumerate(zip(table.counts, best, strict=True)):
            rows.append(
                {
                    "class": names[number],
                    "tokens": tokens,
                    "temperature": temperature,
                    "strength": float(curves.strengths[strength]),
                    "weight": float(curves.rise[number, strength]),
                }
            )
    return rows
