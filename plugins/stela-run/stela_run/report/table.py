"""The summary table: one row for each scheme, language, length and attack."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from stela_run.cells.results import EXPECTED_Z
from stela_run.report.layout import View
from stela_run.report.rates import Estimate
from stela_run.report.read import Place, Run
from stela_run.report.strength import strength_at
from stela_run.report.values import Values

DISTINCT, REPEATED = "distinct-texts", "repeated-4-grams"


class Column(NamedTuple):
    """A measured quantity."""

    name: str
    """Name in files."""
    title: str
    """Title on the page."""
    digits: int
    sign: int
    """1 where more is better, -1 where less is, 0 where neither."""
    find: Callable[[Values, Place], Estimate | None]


COLUMNS = (
    Column("tpr_at_0.01_human", "TPR at 1 % FPR, human text", 2, 1, lambda v, p: v.tpr(p)),
    Column("tpr_at_0.01_model", "TPR at 1 % FPR, model text", 2, 1, lambda v, p: v.tpr(p, "model")),
    Column("found_at_p_0.01", "found at p ≤ 0.01", 2, 1, lambda v, p: v.nominal(p)),
    Column("size_at_p_0.01", "p ≤ 0.01 in unmarked text", 4, 0, lambda v, p: v.size(p)),
    Column("auc_human", "AUC, human text", 3, 1, lambda v, p: v.auc(p)),
    Column("z", "mean z", 2, 1, lambda v, p: v.z(p)),
    Column("expected_z", "mean expected z", 2, 1, lambda v, p: v.recorded(p, EXPECTED_Z)),
    Column("minus_log10_p", "mean −log10 p", 1, 1, lambda v, p: v.evidence(p)),
    Column("bias", "mean bias, nats", 2, 0, lambda v, p: v.bias(p)),
    Column("divergence", "divergence, nats", 3, -1, lambda v, p: v.cost(p, "divergence")),
    Column("surprisal", "surprisal, nats", 3, -1, lambda v, p: v.cost(p, "surprisal")),
    Column("perplexity_ratio", "perplexity ratio", 2, -1, lambda v, p: v.perplexity_ratio(p)),
    Column("distinct_texts", "distinct texts of a prompt", 1, 1, lambda v, p: v.recorded(p, DISTINCT)),
    Column("repeated_4_grams", "repeated 4-grams", 3, -1, lambda v, p: v.recorded(p, REPEATED)),
)
"""Columns of the table; those that no metric of the run measured are left out."""

LATER = frozenset({"divergence", "surprisal", "expected_z"})
"""Names of columns that version 0.3 had not at first."""


class Row(NamedTuple):
    """The numbers of a place."""

    place: Place
    cells: dict[str, Estimate | None]
    best: frozenset[str]
    """Columns in which it is better than all schemes of its strength: no interval meets its own."""


def table(view: View) -> list[Row]:
    """All rows; schemes of one comparison stand together.

    A scheme is called best among those of equal strength; where there is no other such, or an interval is
    missing, it is not.
    """
    run, values, strengths = view.run, view.values, view.strengths
    places = sorted(run.places, key=lambda place: _rank(run, place))
    cells = {place: {column.name: column.find(values, place) for column in COLUMNS} for place in places}
    groups: dict[tuple[object, ...], list[Place]] = {}
    for place in places:
        groups.setdefault((place.model, place.attack, place.language, place.length), []).append(place)
    rows = []
    for members in groups.values():
        strength = strength_at(strengths, members[0].model, members[0].language, members[0].length)
        for place in members:
            peers = [
                other for other in members if other != place and strength.alike(place.label, other.label)
            ]
            names = (column.name for column in COLUMNS if _is_best(column, place, peers, cells))
            rows.append(Row(place, cells[place], frozenset(names)))
    return rows


def columns_of(rows: Iterable[Row]) -> list[Column]:
    """Columns with a number in some row."""
    listed = list(rows)
    return [column for column in COLUMNS if any(row.cells[column.name] is not None for row in listed)]


def _is_best(
    column: Column, place: Place, peers: list[Place], cells: dict[Place, dict[str, Estimate | None]]
) -> bool:
    own, *others = (_ends(cells[one][column.name], column.sign) for one in (place, *peers))
    if not column.sign or not others or own is None:
        return False
    return all(other is not None and own[0] > other[1] for other in others)


def _ends(cell: Estimate | None, sign: int) -> tuple[float, float] | None:
    """Ends of an interval, so that more is better; ``None`` where there is none."""
    if cell is None or cell.low is None or cell.high is None:
        return None
    return (cell.low, cell.high) if sign > 0 else (-cell.high, -cell.low)


def _rank(run: Run, place: Place) -> tuple[int, int, int, int]:
    # Sorting is stable, so schemes keep their order.
    attacks = list(dict.fromkeys(other.attack for other in run.places))
    return (
        run.experiment["models"].index(place.model),
        attacks.index(place.attack),
        list(run.experiment["languages"]).index(place.language),
        place.length,
    )


def shown(cell: Estimate | None, digits: int) -> tuple[str, str]:
    """A number and its interval as text; the latter is empty where there is none."""
    if cell is None:
        return "", ""
    # "z": no minus sign before a number that is rounded to 0.
    if cell.low is None or cell.high is None:
        return f"{cell.value:z.{digits}f}", ""
    return f"{cell.value:z.{digits}f}", f"{cell.low:z.{digits}f} to {cell.high:z.{digits}f}"
