"""How much of the way from uniform weights to those of the model each public weight closes."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results.figures import panels
from stela_paper.results.grids import Rows
from stela_paper.results.intervals import (
    ALIKE,
    LESS,
    MORE,
    Estimate,
    difference,
    share_of_the_way,
    signs,
    verdicts,
)
from stela_paper.results.markdown import cell
from stela_paper.results.reading import LANGUAGES, Run

FLOOR = "kgw"
GOALS = {"kgw+ewd": "EWD", "kgw+ewd-gain": "expected gain"}
"""Weights that need the model's logits. Neither is a bound; the second finds more."""

PUBLIC = {
    "kgw+stela": "lambda (STELA)",
    "kgw+lexical-tags": "tag entropy, not normalised",
    "kgw+learned": "`learned`: expected gain by the last 3 tags",
    "kgw+learned-text": "`learned-text`: expected gain by the last characters",
}
_WAY = "share of the way to {}"
OWN = ("stela", "learned-text")

MODELS = {
    "tiny-small": "`tiny-small` (1.3 M parameters, 4,096 tokens)",
    "wide": "`wide` (4.9 M parameters, 16,384 tokens; made by stela-tiny's script, not shipped)",
}
"""Other models, in words."""


def measured(run: Run, figures: Path, transfers: dict[str, Run]) -> dict[str, Rows]:
    """The tables; ``transfers`` are runs of other models by name."""
    lengths = run.experiment["lengths"]
    public = {label: name for label, name in PUBLIC.items() if label in run.labels}
    if len(lengths) > 1:
        _figure(run, figures, public)
    tables = {"": _weighed(run, lengths[-1], public)}
    if any(label in run.labels for label in OWN):
        tables["own"] = _own(run, lengths[-1])
    if transfers:
        tables["transfer"] = _transfer(transfers)
    return tables


def _weighed(run: Run, length: int, public: dict[str, str]) -> Rows:
    """One text, weighed in every way."""
    names = {FLOOR: "uniform", **public, **{label: f"{name}, with logits" for label, name in GOALS.items()}}
    beyond = [
        difference(run.paired(*(run.scores(code, goal, length) for goal in reversed(GOALS))))
        for code in run.languages
    ]
    less_ewd = dict(zip(run.languages, zip(beyond, signs(beyond), strict=True), strict=True))
    rows = []
    for label, name in names.items():
        for code in run.languages:
            row = {"weight": name, "language": LANGUAGES[code], "tokens": str(length)}
            row["texts"] = str(len(run.scores(run.languages[0], FLOOR, length)))
            row["z"] = f"{_z(run, code, label, length):.2f}"
            for goal, heading in GOALS.items():
                row[_WAY.format(heading)] = _way(run, code, label, length, goal)
            last = label == list(GOALS)[-1]
            gap, sign = less_ewd[code]
            row["z less EWD's"] = str(gap) if last else "–"
            row["verdict"] = (ALIKE, MORE, LESS)[sign] if last else "–"
            rows.append(row)
    return rows


def _z(run: Run, language: str, label: str, length: int) -> float:
    return run.paired(run.scores(language, label, length)).means[0]


def _share(run: Run, language: str, label: str, length: int, goal: str = "kgw+ewd") -> Estimate:
    cells = [run.scores(language, name, length) for name in (label, FLOOR, goal)]
    return share_of_the_way(run.paired(*cells))


def _way(run: Run, language: str, label: str, length: int, goal: str) -> str:
    """Share of the way from uniform weights to a goal, as text; one by definition for the goal itself."""
    if label in (goal, FLOOR):
        return "1" if label == goal else "0"
    return str(_share(run, language, label, length, goal))


def _own(run: Run, length: int) -> Rows:
    """Each marked by its own weights, at one mean bias."""
    rows: Rows = []
    gaps = []
    for code in run.languages:
        uniform = run.scores(code, FLOOR, length)
        for label in (FLOOR, *(one for one in OWN if one in run.labels)):
            row = {"language": LANGUAGES[code], "tokens": str(length), "scheme": label}
            row["mean bias"] = cell(run.value("bias", language=code, label=label, length=length))
            row["z"] = f"{_z(run, code, label, length):.2f}"
            gap = difference(run.paired(run.scores(code, label, length), uniform))
            rows.append({**row, "less KGW": "–" if label == FLOOR else str(gap), "verdict": "–"})
            if label != FLOOR:
                gaps.append(gap)
    verdicts([row for row in rows if row["less KGW"] != "–"], gaps)
    return rows


def _transfer(transfers: dict[str, Run]) -> Rows:
    rows = []
    for name, run in transfers.items():
        length = run.experiment["lengths"][-1]
        for label in ("kgw+learned", "kgw+learned-text"):
            for code in run.languages:
                row = {"model": MODELS.get(name, name), "weight": f"`{label[4:]}`"}
                row |= {"language": LANGUAGES[code], "tokens": str(length)}
                ways = {_WAY.format(to): _way(run, code, label, length, goal) for goal, to in GOALS.items()}
                rows.append({**row, **ways})
    return rows


def _figure(run: Run, figures: Path, public: dict[str, str]) -> None:
    lengths = run.experiment["lengths"]
    lines, bands = {}, {}
    for code in run.languages:
        shares = {
            name.split(":")[0].replace("`", ""): [_share(run, code, label, n) for n in lengths]
            for label, name in public.items()
        }
        lines[code] = {name: (lengths, [one.value for one in of]) for name, of in shares.items()}
        bands[code] = {
            name: ([one.low for one in of], [one.high for one in of]) for name, of in shares.items()
        }
    panels(figures / "weights.svg", lines, "tokens", "share of the way to EWD", bands)
