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
PLACE = ("model", "language", "temperature")
"""Columns that say whose text it is; :data:`Row` has the mark, too."""

LONG, SHORT, EDITED = 200, 25, 100
"""Tokens of what tables and figure show."""

LIGHTLY_DELETED, DELETED = "edits-delete(share=0.1)", "edits-delete(share=0.3)"

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
                evidence[tuple(row.values())] = {**row, **found_in(scores)}
            if length == max(run.experiment["lengths"]) and COSTS[0] in record["values"]:
                costs.setdefault(tuple(place.values()), {**place, **_costs(run, where, length)})
    return [*evidence.values()], [*costs.values()]


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
    out = {}
    for name in COSTS:
        value = run.value(name, **where, length=length, attack="none")
        for end in ("value", "low", "high"):
            heading = name if end == "value" else f"{name}, {end}"
            out[heading] = "" if value is None or value[end] is None else f"{value[end]:.4f}"
    return out


def as_tables(evidence: Sequence[Row], costs: Sequence[Row]) -> str:
    """A table for each model, language and temperature: a row for each mark, most evidence first.

    Costs are those that were measured, and 0 of :data:`EXACT`.
    """
    parts = []
    for place in dict.fromkeys(tuple(row[name] for name in PLACE) for row in evidence):
        here = {
            (row["mark"], row["attack"], int(row["tokens"])): row
            for row in evidence
            if tuple(row[name] for name in PLACE) == place
        }
        cost = {row["mark"]: row for row in costs if tuple(row[name] for name in PLACE) == place}
        marks = {mark for mark, *_ in here if "+" not in mark}  # the file has the others
        lines = [
            _line(mark, here, cost.get(mark, {}))
            for mark in sorted(marks, key=lambda mark: -float(here[mark, "none", LONG]["evidence"]))
        ]
        model, language, temperature = place
        parts.append(f"**{model}, {language}, temperature {temperature}**\n\n{table(HEADING, lines)}")
    return "\n".join(parts)


HEADING = (
    "mark",
    f"{SHORT} tokens",
    f"{LONG} tokens",
    f"found, {SHORT} tokens",
    f"found, {LONG}",
    f"{EDITED} tokens, 30 % deleted",
    "divergence",
    "surprisal",
    "divergence per key",
)


def _line(mark: str, here: Mapping[tuple[str, str, int], Row], cost: Row) -> list[str]:
    short, long = here[mark, "none", SHORT], here[mark, "none", LONG]
    edited = here.get((mark, DELETED, EDITED))
    spent = [
        f"{float(cost[name]):.{digits}f}" if cost.get(name) else "0" if free else ""
        for name, digits, free in zip(COSTS, (4, 3, 2), (mark in EXACT, mark in EXACT, False), strict=True)
    ]
    return [
        f"`{mark}`",
        *(f"{row['evidence']} ± {row['half of its interval']}" for row in (short, long)),
        short["found at 0.001"],
        long["found at 1e-06"],
        "–" if edited is None else edited["evidence"],
        *spent,
    ]


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
