"""What the page of weights says of these schemes is what was measured."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
MARKS = {
    "lambda": ("lambda", ""),
    "`gain-tags`": ("last tag", "smollm2-{}"),
    "`gain-text`": ("text in 10", "smollm2-en"),
}
LANGUAGES = ("en", "zh", "ko")


def ratio(mark: str, delta: str, language: str, temperature: str) -> dict[str, str]:
    """The row of a mark at KGW's surprisal, on human text."""
    classes, teacher = MARKS[mark]
    wanted = {
        "texts by": "people",
        "target": "gemma",
        "cost": "surprisal",
        "classes": classes,
        "delta": delta,
        "language": language,
        "temperature": temperature,
        "teacher": teacher.format(language),
    }
    with (DOCS / "results/gains.csv").open(encoding="utf-8", newline="") as file:
        [row] = [row for row in csv.DictReader(file) if wanted.items() <= row.items()]
    return row


def told() -> list[tuple[str, str, list[str]]]:
    """Rows of the page's table: mark, delta, and a cell for each language."""
    section = (DOCS / "weights.md").read_text(encoding="utf-8").partition("## Where a bias buys most")[2]
    rows = re.findall(r"^\| (\S+), delta (\d) \| (.*) \|$", section.partition("\n## ")[0], re.MULTILINE)
    return [(mark, delta, cells.split(" | ")) for mark, delta, cells in rows]


@pytest.mark.parametrize("number", range(4))
def test_the_table_is_that_of_the_file(number: int) -> None:
    rows = told()
    assert len(rows) == 4
    mark, delta, cells = rows[number]
    for language, cell in zip(LANGUAGES, cells, strict=True):
        if cell == "–" and mark == "`gain-tags`":  # without a table of that language's tagger
            continue
        measured = [float(ratio(mark, delta, language, temperature)["ratio"]) for temperature in ("0.7", "1")]
        assert cell == ", ".join(f"{one:.2f}" for one in measured)


def test_the_schemes_leave_more_than_kgw_wherever_they_were_judged() -> None:
    """With certainty: both ends of the interval are above 1."""
    for language in LANGUAGES:
        for temperature in ("0.7", "1"):
            for delta in ("1", "2", "3"):
                assert float(ratio("`gain-text`", delta, language, temperature)["low"]) > 1
