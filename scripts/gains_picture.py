"""Draw docs/results/gains.svg from docs/results/gains.csv: ``python -m scripts.gains_picture``.

A panel is a language, at temperature 0.7. It shows the expected z of marks over that of KGW, where both cost
the same surprisal, by the delta of that KGW.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping

from stela_paper.results.figures import panels

from scripts.gains import RESULTS

MARKS = {
    ("lambda", ""): "lambda (the paper's STELA)",
    ("learned-text", ""): "learned-text",
    ("last tag", "smollm2-en"): "gain-tags",
    ("text in 10", "smollm2-en"): "gain-text",
}
"""Classes and teacher of a row, and the mark's name."""
SHOWN = {"target": "gemma", "texts by": "people", "temperature": "0.7", "cost": "surprisal"}


def lines() -> tuple[dict[str, dict[str, Mapping[float, Mapping[str, str]]]], list[str]]:
    """Rows by language, mark and delta, and the languages in their order."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if SHOWN.items() <= row.items()]
    languages = [code for code in ("en", "zh", "ko") if any(row["language"] == code for row in rows)]
    marks: dict[str, dict[str, Mapping[float, Mapping[str, str]]]] = {}
    for code in languages:
        for key, name in MARKS.items():
            own = {
                float(row["delta"]): row
                for row in rows
                if row["language"] == code and (row["classes"], row["teacher"]) == key
            }
            if own:
                marks.setdefault(code, {})[name] = dict(sorted(own.items()))
    return marks, languages


def main() -> None:
    """Write the picture."""
    shown, languages = lines()
    values = {
        code: {
            name: ([*of], [float(row["ratio"]) for row in of.values()]) for name, of in shown[code].items()
        }
        for code in languages
    }
    bands = {
        code: {
            name: ([float(row["low"]) for row in of.values()], [float(row["high"]) for row in of.values()])
            for name, of in shown[code].items()
        }
        for code in languages
    }
    panels(RESULTS.with_suffix(".svg"), values, "delta of the KGW that costs the same", "z over KGW's", bands)


if __name__ == "__main__":
    main()
