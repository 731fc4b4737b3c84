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
    ", surrogate": "SmolLM2 135M, no prompt",
    ", model": "the model, with the prompt",
}
"""By what a label adds to the mark's name, in words."""


def as_table(rows: Sequence[Row]) -> str:
    """A row for each mark and reader; at each temperature evidence at 200 tokens and what is found of 25."""
    cells = {(row["mark"], row["temperature"], row["tokens"]): row for row in rows}
    temperatures = list(dict.fromkeys(row["temperature"] for row in rows))
    marks = list(dict.fromkeys(row["mark"] for row in rows))
    lines = []
    for mark in (mark for mark in marks if mark.isalnum()):
        for ending, reader in READERS.items():
            label = mark + ending
            shown = [cells_of(cells, label, temperature) for temperature in temperatures]
            lines.append([f"`{mark}`", reader, *(value for pair in shown for value in pair)])
    header = [
        heading
        for temperature in temperatures
        for heading in (f"temperature {temperature}: {LONG} tokens", f"found, {SHORT}")
    ]
    return table(("mark", "read by", *header), lines)


def cells_of(cells: Mapping[tuple[str, str, str], Row], label: str, temperature: str) -> tuple[str, str]:
    """Evidence with its interval, and the share found."""
    long, short = cells[label, temperature, LONG], cells[label, temperature, SHORT]
    return f"{long['evidence']} ± {long['half of its interval']}", short["found at 0.001"]
