"""What is left of marks after synonyms and cuts, and how many tokens they need, from a run of ``which-edits``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_paper.results.markdown import table
from stela_paper.results.reading import Run
from stela_paper.results.which import Row

TOKENS = 100
SHOWN = {
    "none": "unedited",
    "wordnet(share=0.1, path=wordnet/wordnet.zip)": "10 % of the words replaced",
    "wordnet(share=0.3, path=wordnet/wordnet.zip)": "30 %",
    "edits-truncate(share=0.5)": "half cut",
}
"""Attacks, in words."""

SURFACE = {
    "none": "unedited",
    "edits-typo(share=0.1)": "typing errors in 10 % of the words",
    "edits-homoglyph(share=0.1)": "look-alikes for 10 % of the letters that have one",
    "edits-case(to=lower)": "small letters",
    "edits-punctuation(share=0.5)": "half of the punctuation gone",
    "edits-emoji(share=0.1)": "emoji after 10 % of the words",
    "edits-contraction(to=short)": "contractions",
    "edits-sentences": "sentences shuffled",
}
"""Edits of ``surface``, in words."""

UNDONE = "edits-homoglyph(share=0.1)"
"""What readings undo."""


def as_surface(rows: Sequence[Row], as_it_is: Sequence[Row] = ()) -> str:
    """Evidence and share found at 0.001 in texts of 100 tokens before the attack; a row is an attack.

    Args:
        rows: of texts tested in all readings.
        as_it_is: of texts tested as they are, for what readings undo.
    """
    cells, plain = (
        {(row["mark"], row["attack"]): row for row in run if row["tokens"] == str(TOKENS)}
        for run in (rows, as_it_is)
    )
    marks = list(dict.fromkeys(mark for mark, _ in cells))
    lines = []
    for attack, heading in SURFACE.items():
        lines.append([heading, *(_shown(cells[mark, attack]) for mark in marks)])
        if attack == UNDONE and plain:
            lines.append(["the same, tested as it is", *(_shown(plain[mark, attack]) for mark in marks)])
    return table(("", *(f"`{mark}`" for mark in marks)), lines)


def _shown(row: Row) -> str:
    return f"{row['evidence']} ± {row['half of its interval']}; {row['found at 0.001']}"


def as_table(rows: Sequence[Row]) -> str:
    """The same of synonyms and cuts; a row is a mark."""
    cells = {(row["mark"], row["attack"]): row for row in rows if row["tokens"] == str(TOKENS)}
    lines = [
        [f"`{mark}`", *(_shown(cells[mark, attack]) for attack in SHOWN)]
        for mark in dict.fromkeys(mark for mark, _ in cells)
    ]
    return table(("mark", *SHOWN.values()), lines)


LEVELS = ("0.02", "0.001", "1e-06")
"""p-values whose tokens are told."""


def sizes_of(run: Run) -> list[Row]:
    """Tokens from which on half of the texts are found, with 95 % intervals: a row is a mark after an attack."""
    rows: list[Row] = []
    longest = max(run.experiment["lengths"])
    for record in run.records:
        if record["length"] == longest:
            row = {"mark": record["label"], "attack": record["attack"]}
            for level in LEVELS:
                value = record["values"].get(f"size@{level}")
                for end in ("value", "low", "high"):
                    heading = level if end == "value" else f"{level}, {end}"
                    row[heading] = "" if value is None else f"{value[end]:.0f}"
            rows.append(row)
    return rows


def as_sizes(rows: Sequence[Row]) -> str:
    """Tokens needed at each level, unedited and with 10 and 30 % of the words replaced; a row is a mark."""
    cells = {(row["mark"], row["attack"]): row for row in rows}
    plain, lightly, more, _ = SHOWN
    shown = [(plain, level) for level in LEVELS] + [(lightly, "0.001"), (more, "0.001")]
    header = ("mark", *(f"p ≤ {float(level):g}" for level in LEVELS), "10 % replaced, 0.001", "30 %, 0.001")
    lines = [
        [f"`{mark}`", *(cells[mark, attack][level] or "–" for attack, level in shown)]
        for mark in dict.fromkeys(mark for mark, _ in cells)
    ]
    return table(header, lines)
