"""What each reader of a text adds to a mark's evidence, from runs of ``which-detectors``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stela_paper.results.markdown import table
from stela_paper.results.which import Row

SHORT, LONG = "25", "200"
"""Tokens that the table shows."""

READERS: Mapping[str, str] = {
    "": "tokenizer only",
    "+learned-text": "public table",
    ", surrogate": "a surrogate, no prompt",
    ", model": "the model, with the prompt",
}
"""Readers in words, by what a label adds to the mark's name."""


Place = tuple[str, str]
"""Model and temperature."""


def as_table(rows: Sequence[Row]) -> str:
    """A row for each mark and reader; of each place evidence at 200 tokens and what is found of 25."""
    cells = {(row["model"], row["temperature"], row["mark"], row["tokens"]): row for row in rows}
    places = list(dict.fromkeys((row["model"], row["temperature"]) for row in rows))
    lines = []
    for mark in dict.fromkeys(row["mark"] for row in rows if row["mark"].isalnum()):
        for ending, reader in READERS.items():
            shown = [cells_of(cells, place, mark + ending) for place in places]
            lines.append([f"`{mark}`", reader, *shown])
    return table(("mark", "read by", *(f"{model}, {temperature}" for model, temperature in places)), lines)


def cells_of(cells: Mapping[tuple[str, str, str, str], Row], place: Place, label: str) -> str:
    """Evidence with its interval, and the share found; a dash where it was not measured."""
    long, short = cells.get((*place, label, LONG)), cells.get((*place, label, SHORT))
    if long is None or short is None:
        return "–"
    return f"{long['evidence']} ± {long['half of its interval']}; {short['found at 0.001']}"
