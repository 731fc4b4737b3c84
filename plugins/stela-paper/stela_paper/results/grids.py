"""Tables of strings, kept as CSV: in a file, a value with its interval is three columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from stela_paper.results.markdown import table

Row = dict[str, str]
Rows = list[Row]

LOW, HIGH = ", low", ", high"
INTERVAL = re.compile(r"(\S+) \[(\S+), (\S+)\]")


def save(path: Path, rows: Rows) -> None:
    """Write rows that all have the same columns."""
    split = {name for row in rows for name, text in row.items() if INTERVAL.fullmatch(text)}
    header = [column for name in rows[0] for column in _columns(name, name in split)]
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(header)
    for row in rows:
        lines.writerow([cell for name, text in row.items() for cell in _cells(text, name in split)])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.getvalue(), encoding="utf-8")


def load(path: Path) -> Rows:
    """What :func:`save` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_joined(row) for row in csv.DictReader(file)]


def _columns(name: str, split: bool) -> list[str]:
    return [name, name + LOW, name + HIGH] if split else [name]


def _cells(text: str, split: bool) -> list[str]:
    if not split:
        return [text]
    match = INTERVAL.fullmatch(text)
    return list(match.groups()) if match else [text, "", ""]


def _joined(row: Row) -> Row:
    return {
        name: f"{text} [{row[name + LOW]}, {row[name + HIGH]}]" if row.get(name + LOW) else text
        for name, text in row.items()
        if not name.endswith((LOW, HIGH))
    }


def languages(rows: Iterable[Row]) -> list[str]:
    """The languages of rows, in their order."""
    return list(dict.fromkeys(row["language"] for row in rows))


def by_language(rows: Rows, names: Sequence[str], shown: Callable[[Row], str]) -> str:
    """A Markdown table with a column for each language; its first columns have these names."""
    codes = languages(rows)
    lines: dict[tuple[str, ...], Row] = {}
    for row in rows:
        lines.setdefault(tuple(row[name] for name in names), {})[row["language"]] = shown(row)
    body = [(*index, *(of.get(code, "–") for code in codes)) for index, of in lines.items()]
    return table((*names, *codes), body)


def number(text: str) -> float:
    """The value of a cell, without its interval."""
    return float(text.partition(" ")[0])


def value(text: str) -> str:
    """A cell without its interval."""
    return text.partition(" ")[0]
