"""Tables and numbers in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stela_run.report.rates import Estimate


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def each_once(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows without a first cell where it says what the row above says."""
    before = ("", *(row[0] for row in rows))
    return [["" if row[0] == above else row[0], *row[1:]] for row, above in zip(rows, before, strict=False)]


def cell(value: dict[str, Any] | None, digits: int = 2) -> str:
    """A value with its interval, as in ``0.91 [0.85, 0.96]``; a dash where there is none."""
    if value is None:
        return "–"
    shown = f"{value['value']:.{digits}f}"
    if value["low"] is None:
        return shown
    return f"{shown} [{value['low']:.{digits}f}, {value['high']:.{digits}f}]"


def share(estimate: Estimate | None, digits: int = 4) -> str:
    """A share with its interval, as :func:`cell` writes values; a dash where there is none."""
    if estimate is None:
        return "–"
    return cell({"value": estimate.value, "low": estimate.low, "high": estimate.high}, digits)


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; ``none`` of nothing."""
    if not names:
        return "none"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
