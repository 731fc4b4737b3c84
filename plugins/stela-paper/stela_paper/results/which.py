"""What each mark leaves and costs on a real model, from runs of ``which``, ``which-costs`` and ``widths``.

A row of ``which.csv`` is a mark after an attack at a length; one of ``which-costs.csv`` is a mark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stela_paper.results.figures import dots
from stela_paper.results.markdown import table
from stela_paper.results.reading import LANGUAGES, Run, Scores

LEVELS = (1e-3, 1e-6)
"""p-values at or below which texts count as found."""

COSTS = ("divergence", "surprisal", "divergence-per-key")
EXACT = ("gumbel", "synthid", "coupling", "unbiased-dip")
"""Marks that keep the model's distribution over keys: their divergence and surprisal are 0."""
LEFT_OUT = ("kgw delta=1.0",)
"""A second strength: only in the files, as are marks that are weighed otherwise (``A+B``)."""
PLACE = ("model", "language", "temperature")
"""Columns that say whose text it is; :data:`Row` has the mark, too."""
WHICH_COST = (*PLACE, "mark")
WHICH_EVIDENCE = (*WHICH_COST, "attack", "tokens")
"""Columns in which no two rows agree."""

LONG, SHORT, EDITED = 200, 25, 100
"""Tokens of what tables and figure show."""

LIGHTLY_DELETED, DELETED = "edits-delete(share=0.1)", "edits-delete(share=0.3)"
PASTED = "edits-paste(share=0.125)"

Row = Mapping[str, str]


def results_of(runs: Iterable[Run]) -> tuple[list[Row], list[Row]]:
    """Rows of evidence and rows of costs; where two runs have the same, that of the first."""
    evidence: dict[tuple[str, ...], Row] = {}
    costs: dict[tuple[str, ...], Row] = {}
    for run in runs:
        for record in run.records:
            where = {"language": record["language"], "label": record["label"], "model": record["model"]}
            place = {
                "model": Path(record["model"]).name,
                "language": LANGUAGES[record["language"]],
                "temperature": drawn_at(run.experiment),
                "mark": record["label"],
            }
            attack, length = record["attack"], record["length"]
            row = {**place, "attack": attack, "tokens": str(length)}
            if tuple(row.values()) not in evidence:
                scores = run.scores(**where, length=length, attack=attack)
                if scores:  # texts may all have come out too short
                    evidence[tuple(row.values())] = {**row, **found_in(scores)}
            if length == max(run.experiment["lengths"]) and COSTS[0] in record["values"]:
                costs.setdefault(tuple(place.values()), {**place, **_costs(run, where, length)})
    return [*evidence.values()], [*costs.values()]


def evidence_of(runs: Iterable[Run]) -> list[Row]:
    """The first half of :func:`results_of`."""
    return results_of(runs)[0]


def with_kept(made: Sequence[Row], kept: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """Rows of earlier runs in their order, each replaced by its like of a new run; then what is new.

    Args:
        made: of runs.
        kept: of runs that are gone.
        columns: rows that agree in these are alike.
    """
    old, new = ({tuple(row[name] for name in columns): row for row in rows} for rows in (kept, made))
    return list((old | new).values())


def drawn_at(experiment: Mapping[str, Any]) -> str:
    """The temperature, and top-p where there is one: ``0.7``, ``1, top-p 0.95``."""
    top_p = experiment.get("top_p")
    return f"{experiment['temperature']:g}" + ("" if top_p is None else f", top-p {top_p:g}")


def found_in(scores: Scores) -> Row:
    """Number of texts, mean -log10 p with its 95 % interval (normal), and the share at each level."""
    p = np.array([p for _, p in scores.values()])
    logs = -np.log10(p)
    half = 1.96 * float(logs.std(ddof=1)) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    shares = {f"found at {level:g}": f"{float((p <= level).mean()):.2f}" for level in LEVELS}
    return {
        "texts": str(len(p)),
        "evidence": f"{logs.mean():.1f}",
        "half of its interval": f"{half:.1f}",
        **shares,
    }


def _costs(run: Run, where: Mapping[str, str], length: int) -> Row:
    out: dict[str, str] = {}
    for name in COSTS:
        out |= as_columns(name, run.value(name, **where, length=length, attack="none"), 4)
    return out


def as_columns(name: str, value: Mapping[str, Any] | None, digits: int) -> dict[str, str]:
    """A value and the ends of its interval, a column each; empty where there is none."""
    return {
        name if end == "value" else f"{name}, {end}": ""
        if value is None or value[end] is None
        else f"{value[end]:.{digits}f}"
        for end in ("value", "low", "high")
    }


def as_tables(evidence: Sequence[Row], costs: Sequence[Row]) -> str:
    """Two tables of the first model, language and temperature, and some columns of the others.

    A row is a mark, most evidence first. Costs are those that were measured, and 0 of :data:`EXACT`. No table has
    more than seven columns: of the other places the first :data:`MOST` are shown.
    """
    places: dict[tuple[str, ...], Here] = {}
    for row in evidence:
        here = places.setdefault(tuple(row[name] for name in PLACE), {})
        here[row["mark"], row["attack"], int(row["tokens"])] = row
    first, *others = list(places)[: 1 + MOST]
    cost = {row["mark"]: row for row in costs if tuple(row[name] for name in PLACE) == first}
    left = {
        mark: float(row["evidence"]) for (mark, *at), row in places[first].items() if at == ["none", LONG]
    }
    marks = sorted(
        (mark for mark in left if "+" not in mark and mark not in LEFT_OUT), key=lambda mark: -left[mark]
    )
    model, language, temperature = first
    parts = [f"**{model}, {language}, temperature {temperature}**"]
    parts += [table(HEADING, [_left(mark, places[first]) for mark in marks])]
    spent = [line for mark in marks if any((line := _cost(mark, cost.get(mark, {})))[1:])]
    parts += ["**Costs**", table(("mark", *COSTS_IN_WORDS), spent)]
    if others:
        names = [_apart(place, first) for place in others]
        for title, column, attack, length in BESIDE:
            lines = [
                [f"`{mark}`", *(_cell(places[place], (mark, attack, length), column) for place in others)]
                for mark in marks
            ]
            parts += [f"**{title}**", table(("mark", *names), lines)]
        parts += _costs_beside(costs, first)
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def _costs_beside(costs: Sequence[Row], first: tuple[str, ...]) -> list[str]:
    """What marks cost in the other places, where that was measured."""
    spent = {tuple(row[name] for name in WHICH_COST): row for row in costs}
    places = [place for place in dict.fromkeys(where[:-1] for where in spent) if place != first]
    if not places:
        return []
    lines = [
        [f"`{mark}`", *(_spent(spent.get((*place, mark))) for place in places)]
        for mark in dict.fromkeys(where[-1] for where in spent)
    ]
    names = [_apart(place, first) for place in places]
    return ["**Divergence; surprisal**", table(("mark", *names[:MOST]), [line[: 1 + MOST] for line in lines])]


def _spent(row: Row | None) -> str:
    return "–" if row is None else f"{float(row[COSTS[0]]):.4f}; {float(row[COSTS[1]]):.3f}"


Here = dict[tuple[str, str, int], Row]
"""Rows of a place, by mark, attack and tokens."""

HEADING = (
    "mark",
    f"{SHORT} tokens",
    f"{LONG} tokens",
    f"found, {SHORT}",
    f"found, {LONG}",
    f"{EDITED}, 30 % deleted",
    f"{LONG}, pasted",
)
COSTS_IN_WORDS = ("divergence", "surprisal", "divergence per key")
MOST = 6
"""Columns of a table besides its first one."""

SHOWN = (
    ("both", "none", SHORT),
    ("both", "none", LONG),
    ("found at 0.001", "none", SHORT),
    ("found at 1e-06", "none", LONG),
    ("evidence", DELETED, EDITED),
    ("evidence", PASTED, LONG),
)
"""Columns of the first place: what of a row, its attack and its tokens."""

BESIDE = (
    (f"{LONG} tokens", "both", "none", LONG),
    (f"Found, {SHORT} tokens", "found at 0.001", "none", SHORT),
)
"""Tables that have a column for each further place: title, what of a row, its attack and its tokens."""


def _apart(place: tuple[str, ...], first: tuple[str, ...]) -> str:
    """What is another than in the first."""
    model, language, temperature = place
    named = (model, language, f"temperature {temperature}")
    return ", ".join(name for name, one, other in zip(named, place, first, strict=True) if one != other)


def _cell(here: Here, at: tuple[str, str, int], column: str) -> str:
    row = here.get(at)
    if row is None:
        return "–"
    return f"{row['evidence']} ± {row['half of its interval']}" if column == "both" else row[column]


def _left(mark: str, here: Here) -> list[str]:
    return [f"`{mark}`", *(_cell(here, (mark, attack, length), column) for column, attack, length in SHOWN)]


def _cost(mark: str, cost: Row) -> list[str]:
    free = (mark in EXACT, mark in EXACT, False)
    spent = [
        f"{float(cost[name]):.{digits}f}" if cost.get(name) else "0" if known else ""
        for name, digits, known in zip(COSTS, (4, 3, 2), free, strict=True)
    ]
    return [f"`{mark}`", *spent]


def as_widths(evidence: Sequence[Row]) -> str:
    """A row for each mark and width: what is left of some tokens after edits, of a run of ``widths``."""
    rows = {(row["mark"], row["attack"], int(row["tokens"])): row for row in evidence}
    shown = [("none", LONG), *((attack, EDITED) for attack in ("none", LIGHTLY_DELETED, DELETED))]
    lines = [
        [
            f"`{mark}`",
            *(f"{(row := rows[mark, *one])['evidence']} ± {row['half of its interval']}" for one in shown),
        ]
        for mark in dict.fromkeys(row["mark"] for row in evidence)
    ]
    heading = f"{LONG} tokens", f"{EDITED} tokens", "10 % deleted", "30 % deleted"
    return table(("mark", *heading), lines)


def draw(path: Path, evidence: Sequence[Row], costs: Sequence[Row], place: tuple[str, ...]) -> None:
    """Evidence against what it costs, a dot for each mark whose cost is known."""
    known = {row["mark"]: row["surprisal"] for row in costs if tuple(row[name] for name in PLACE) == place}
    known |= dict.fromkeys(EXACT, "0")
    points = {
        row["mark"]: (float(known[row["mark"]]), float(row["evidence"]))
        for row in evidence
        if tuple(row[name] for name in PLACE) == place
        and (row["attack"], row["tokens"]) == ("none", str(LONG))
        and known.get(row["mark"])
    }
    dots(path, points, "rise of log-perplexity, nats a token", f"mean −log10 p, {LONG} tokens")
