"""What is left when words are replaced or half of a text is cut, from a run of ``which-edits``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_paper.results.markdown import table
from stela_paper.results.which import Row

TOKENS = 100
SHOWN = {
    "none": "unedited",
    "wordnet(share=0.1, path=wordnet/wordnet.zip)": "10 % of the words replaced",
    "wordnet(share=0.3, path=wordnet/wordnet.zip)": "30 %",
    "edits-truncate(share=0.5)": "half cut",
}
"""Attacks, in words."""


def as_table(rows: Sequence[Row]) -> str:
    """Evidence and share found at 0.001 in texts of 100 tokens before the attack; a row is a mark."""
    cells = {(row["mark"], row["attack"]): row for row in rows if row["tokens"] == str(TOKENS)}
    lines = []
    for mark in dict.fromkeys(mark for mark, _ in cells):
        here = [cells[mark, attack] for attack in SHOWN]
        shown = (
            f"{row['evidence']} ± {row['half of its interval']}; {row['found at 0.001']}" for row in here
        )
        lines.append([f"`{mark}`", *shown])
    return table(("mark", *SHOWN.values()), lines)
