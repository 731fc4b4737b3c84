"""What marks that count green tokens leave and cost at the same positions, from docs/results/expected-costs.csv."""

from __future__ import annotations

from collections.abc import Sequence

from stela_paper.results.grids import Row
from stela_paper.results.markdown import each_once, table

COLUMNS = {
    "times kgw 2": "z over that of `kgw`, delta 2",
    "surprisal": "surprisal",
    "at equal surprisal": "z at equal surprisal",
}
"""What the table shows, and under which heading."""

NAMES = {
    "kgw 1": "`kgw`, delta 1",
    "kgw 2": "`kgw`, delta 2",
    "morphmark after the temperature": "`morphmark`, after the temperature",
}
PERCENT = "at equal surprisal"


def as_table(rows: Sequence[Row]) -> str:
    """A row is a mark at a temperature, in a language; values have 95 % intervals over texts."""
    lines = []
    for row in rows:
        where = f"{row['model']}, {row['language']}, {row['temperature']}"
        lines.append(
            [where, NAMES.get(row["mark"], f"`{row['mark']}`"), *(_shown(row, name) for name in COLUMNS)]
        )
    return table(("text of", "mark", *COLUMNS.values()), each_once(lines))


def _shown(row: Row, name: str) -> str:
    ends = [row[f"{name}{end}"] for end in ("", ", low", ", high")]
    if not ends[0]:
        return "–"
    numbers = [float(one) for one in ends]
    if len(set(numbers)) == 1:  # 1 or 0 by definition
        return f"{numbers[0]:g}"
    if name == PERCENT:
        value, low, high = (100 * one for one in numbers)
        return f"{value:+.1f} % [{low:.1f}, {high:.1f}]"
    shown = [f"{one:.{2 if name.startswith('times') else 3}f}" for one in numbers]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"
