"""The summary table as files: ``summary.csv`` with all digits, ``summary.md`` to read."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from stela_core.api import write_atomically
from stela_run.report.read import Place
from stela_run.report.strength import Strength, strength_at
from stela_run.report.table import COLUMNS, LATER, Row, columns_of, shown

HEAD = Place._fields


def write_csv(path: Path, rows: list[Row], strengths: list[Strength]) -> None:
    """One line for each row; each number has columns ``_low`` and ``_high``, empty where there is none.

    What older versions did not know is left out where no row has it.
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    told = columns_of(rows)
    columns = [column for column in COLUMNS if column.name not in LATER or column in told]
    names = [column.name + end for column in columns for end in ("", "_low", "_high")]
    writer.writerow([*HEAD, "equal_strength", *names])
    for row in rows:
        numbers = [end for column in columns for end in (row.cells[column.name] or (None, None, None))]
        strength = strength_at(strengths, row.place.model, row.place.language, row.place.length)
        equal = strength.matches(row.place.label)
        writer.writerow([*row.place, str(equal).lower(), *numbers])
    write_atomically(path, sink.getvalue().encode("utf-8", "replace"))


def write_markdown(path: Path, title: str, rows: list[Row], strengths: list[Strength]) -> None:
    """A table with intervals in brackets, and the strengths below it."""
    columns = columns_of(rows)
    heads = [*HEAD, *(column.title for column in columns)]
    lines = [f"# {_plain(title)}", "", _line(heads), _line(["---"] * len(heads))]
    for row in rows:
        cells = []
        for column in columns:
            value, interval = shown(row.cells[column.name], column.digits)
            value = f"**{value}**" if column.name in row.best else value
            cells.append(f"{value} [{interval}]" if interval else value)
        lines.append(_line([*map(str, row.place), *cells]))
    lines += ["", "Bold: better than all schemes of its strength; no interval meets its own.", ""]
    for one in strengths:
        warning = f" ({one.warning})" if one.warning else ""
        lines.append(f"- {_plain(f'{one.model}, {one.language}, {one.length} tokens: {one.text}{warning}')}")
    write_atomically(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(_plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """No line break, no column, no tag."""
    text = " ".join(text.split())
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
